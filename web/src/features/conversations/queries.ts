import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { call, client } from "@/api/client";
import type { Conversation, LiveEvent, Message, Page, Part } from "@/api/types";
import { type Messages, upsert } from "./patch";

export const conversationKeys = {
  all: ["conversations"] as const,
  lists: () => ["conversations", "list"] as const,
  list: (archived: boolean) => ["conversations", "list", archived] as const,
  one: (id: string) => ["conversations", "one", id] as const,
  messages: (id: string) => ["conversations", "messages", id] as const,
  comments: (id: string) => ["conversations", "comments", id] as const,
};

export const conversationsQuery = (archived = false) =>
  infiniteQueryOptions({
    queryKey: conversationKeys.list(archived),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      call(
        client.GET("/api/v1/conversations", {
          params: { query: { limit: 50, archived, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    getNextPageParam: (page) => (page.has_more ? page.next_cursor : undefined),
  });

export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: conversationKeys.one(id),
    queryFn: ({ signal }) =>
      call(
        client.GET("/api/v1/conversations/{conversation}", {
          params: { path: { conversation: id } },
          signal,
        }),
      ),
  });

/** Messages, newest page first; "earlier" is the next page. */
export const messagesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: conversationKeys.messages(id),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      call(
        client.GET("/api/v1/conversations/{conversation}/messages", {
          params: {
            path: { conversation: id },
            query: { limit: 50, ...(pageParam ? { cursor: pageParam } : {}) },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => (page.has_more ? page.next_cursor : undefined),
  });

type List = InfiniteData<Page<Conversation>>;

function patchLists(
  cache: QueryClient,
  id: string,
  change: (conversation: Conversation) => Conversation | undefined,
) {
  cache.setQueriesData<List>(
    { queryKey: conversationKeys.lists() },
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({
          ...page,
          data: page.data.flatMap((one) => (one.id === id ? (change(one) ?? []) : [one])),
        })),
      },
  );
}

/** The messages in the place of one; `count` makes a new version ask again. */
export const versionsQuery = (conversation: string, message: string, count: number) =>
  queryOptions({
    queryKey: [...conversationKeys.messages(conversation), "versions", message, count],
    queryFn: ({ signal }) =>
      call(
        client.GET("/api/v1/conversations/{conversation}/messages/{message}/versions", {
          params: { path: { conversation, message } },
          signal,
        }),
      ),
  });

/** Asks a question in other words, as a branch beside the old one. */
export function useEditMessage() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ conversation, message, text }: { conversation: string; message: string; text: string }) =>
      call(
        client.POST("/api/v1/conversations/{conversation}/messages/{message}/edit", {
          params: { path: { conversation, message } },
          body: { message: text },
        }),
      ),
    onSuccess: (_, { conversation }) =>
      cache.invalidateQueries({ queryKey: conversationKeys.messages(conversation) }),
  });
}

/** Has an answer given again, as a branch beside the old one. */
export function useRegenerate() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ conversation, message }: { conversation: string; message: string }) =>
      call(
        client.POST("/api/v1/conversations/{conversation}/messages/{message}/regenerate", {
          params: { path: { conversation, message } },
          body: {},
        }),
      ),
    onSuccess: (_, { conversation }) =>
      cache.invalidateQueries({ queryKey: conversationKeys.messages(conversation) }),
  });
}

export type ConversationChange = {
  id: string;
  title?: string;
  archived?: boolean;
  pinned?: boolean;
  visibility?: "private" | "workspace";
  /** Another branch, or an earlier message; empty: before the first. */
  head?: string;
};

/** Renames or archives at once and puts it back if the server says no. */
export function useSaveConversation() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: ConversationChange) =>
      call(
        client.PATCH("/api/v1/conversations/{conversation}", {
          params: { path: { conversation: id } },
          body,
        }),
      ),
    onMutate: ({ id, title }) => {
      if (title === undefined) return;
      patchLists(cache, id, (one) => ({ ...one, title }));
      cache.setQueryData<Conversation>(conversationKeys.one(id), (one) => one && { ...one, title });
    },
    onSettled: (_, __, { id, head }) =>
      Promise.all([
        ...(head !== undefined ? [cache.invalidateQueries({ queryKey: conversationKeys.messages(id) })] : []),
        cache.invalidateQueries({ queryKey: conversationKeys.lists() }),
        cache.invalidateQueries({ queryKey: conversationKeys.one(id) }),
      ]),
  });
}

export function useDeleteConversation() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call(client.DELETE("/api/v1/conversations/{conversation}", { params: { path: { conversation: id } } })),
    onSuccess: (_, id) => {
      patchLists(cache, id, () => undefined);
      cache.removeQueries({ queryKey: conversationKeys.one(id) });
      cache.removeQueries({ queryKey: conversationKeys.messages(id) });
    },
  });
}

/** Patches the lists with what happened to a conversation. */
export function applyConversationEvent(cache: QueryClient, event: LiveEvent): void {
  const [, id] = event.channel.split("/");
  if (!id) return;
  switch (event.kind) {
    case "conversations.changed":
      noteConversation(cache, event.data.conversation as Conversation);
      return;
    case "conversations.deleted":
      patchLists(cache, id, () => undefined);
      return;
    case "conversations.message_added":
      patchLists(cache, id, (one) => ({ ...one, updated_at: event.at }));
      applyMessage(cache, id, event.data.message as Message | undefined);
      return;
    case "conversations.commented":
    case "conversations.comment_deleted":
      void cache.invalidateQueries({ queryKey: conversationKeys.comments(id) });
      return;
    case "conversations.created":
      void cache.invalidateQueries({ queryKey: conversationKeys.lists() });
      return;
    case "conversations.annotated":
    case "runs.finished":
    case "runs.failed":
    case "runs.cancelled":
      void cache.invalidateQueries({ queryKey: conversationKeys.messages(id) });
  }
}

/** Takes a conversation as the server has it now. One that moved between the lists is fetched again. */
export function noteConversation(cache: QueryClient, conversation: Conversation): void {
  const before = cache.getQueryData<Conversation>(conversationKeys.one(conversation.id));
  cache.setQueryData(conversationKeys.one(conversation.id), conversation);
  patchLists(cache, conversation.id, (one) =>
    one.archived === conversation.archived ? conversation : undefined,
  );
  if (before?.archived !== conversation.archived)
    void cache.invalidateQueries({ queryKey: conversationKeys.lists() });
}

/** Takes a message as the server has it; one too large for its event is fetched with its list. */
export function applyMessage(cache: QueryClient, conversation: string, message: Message | undefined): void {
  const key = conversationKeys.messages(conversation);
  if (message) cache.setQueryData<Messages>(key, (data) => upsert(data, message));
  else void cache.invalidateQueries({ queryKey: key });
}

const attachment = "attachment:";

/** Where the content of a part lies; undefined for one that holds none. */
export function contentOf(part: Part): string | undefined {
  if (!part.url?.startsWith(attachment)) return undefined;
  return `/api/v1/attachments/${part.url.slice(attachment.length)}/content`;
}
