import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";
import type { Conversation } from "@/api/types";
import { conversationKeys } from "../queries";

export type Comment = components["schemas"]["Comment"];
export type Seen = components["schemas"]["PresenceRequest"];

/** What people remarked in one conversation, oldest first. */
export const commentsQuery = (conversation: string) =>
  queryOptions({
    queryKey: conversationKeys.comments(conversation),
    queryFn: ({ signal }) =>
      call(
        client.GET("/api/v1/conversations/{conversation}/comments", {
          params: { path: { conversation } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });

export function useComment(conversation: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: { message: string; text: string }) =>
      call(
        client.POST("/api/v1/conversations/{conversation}/comments", {
          params: { path: { conversation } },
          body,
        }),
      ),
    onSuccess: () => cache.invalidateQueries({ queryKey: conversationKeys.comments(conversation) }),
  });
}

export function useUncomment(conversation: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (comment: string) =>
      call(
        client.DELETE("/api/v1/conversations/{conversation}/comments/{comment}", {
          params: { path: { conversation, comment } },
        }),
      ),
    onSuccess: () => cache.invalidateQueries({ queryKey: conversationKeys.comments(conversation) }),
  });
}

/** Messages with these words in every conversation one may see. */
export const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ["conversations", "search", text],
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/conversations/search", { params: { query: { q: text, limit: 50 } }, signal })),
    enabled: text.trim().length > 1,
    placeholderData: (before) => before,
  });

/** Where the whole conversation can be downloaded. */
export const exportOf = (conversation: string, format: "json" | "markdown") =>
  `/api/v1/conversations/${conversation}/export?format=${format}`;

/** Makes a conversation of an exported file. */
export function useImport() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (file: unknown): Promise<Conversation> =>
      call(
        client.POST("/api/v1/conversations/import", {
          body: file as components["schemas"]["ImportRequest"],
        }),
      ),
    onSuccess: () => cache.invalidateQueries({ queryKey: conversationKeys.lists() }),
  });
}

/** Tells the other windows of a conversation that this one is there. Nobody has to know that it failed. */
export function appear(conversation: string, body: Seen, leaving = false): void {
  void fetch(`/api/v1/conversations/${conversation}/presence`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    keepalive: leaving,
  }).catch(() => undefined);
}
