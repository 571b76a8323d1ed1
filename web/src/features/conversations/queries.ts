import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { call, client } from "@/api/client";
import { contentUrl, fileOf } from "@/api/files";
import { renew, take } from "@/api/news";
import type { Conversation, LiveEvent, Message, Page, Part } from "@/api/types";
import { annotate, branches, branchOff, type Messages, upsert } from "./patch";

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
            query: pageParam ? { limit: 200, cursor: pageParam } : { limit: 50 },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => (page.has_more ? page.next_cursor : undefined),
  });

/** Asks for the messages anew, beginning with the newest: what was read of another branch is let go. */
export function renewMessages(cache: QueryClient, id: string) {
  const key = conversationKeys.messages(id);
  cache.setQueryData<Messages>(
    key,
    (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
  );
  return cache.invalidateQueries({ queryKey: key });
}

type List = InfiniteData<Page<Conversation>>;

function patchLists(
  cache: QueryClient,
  id: string,
  change: (conversation: Conversation) => Conversation | undefined,
) {
  take<List>(cache, { queryKey: conversationKeys.lists() }, (list) => ({
    ...list,
    pages: list.pages.map((page) => ({
      ...page,
      data: page.data.flatMap((one) => (one.id === id ? (change(one) ?? []) : [one])),
    })),
  }));
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
    onSuccess: (_, { conversation }) => renewMessages(cache, conversation),
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
    onSuccess: (_, { conversation }) => renewMessages(cache, conversation),
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
        ...(head !== undefined ? [renewMessages(cache, id)] : []),
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
      applyMessage(cache, id, event.data.message as Message | undefined, event.data.id);
      return;
    case "conversations.commented":
    case "conversations.comment_deleted":
      renew(cache, { queryKey: conversationKeys.comments(id) });
      return;
    case "conversations.created":
      renew(cache, { queryKey: conversationKeys.lists() });
      return;
    case "conversations.annotated":
      take<Messages>(cache, messagesOf(id), (data) =>
        annotate(data, String(event.data.id), event.data.notes as Message["notes"]),
      );
      return;
    case "runs.finished":
    case "runs.failed":
    case "runs.cancelled":
      // The message itself has come before; only one that was missed is fetched.
      if (event.data.message && !has(cache, id, event.data.message))
        applyMessage(cache, id, undefined, event.data.message);
  }
}

function has(cache: QueryClient, conversation: string, message: unknown): boolean {
  const data = cache.getQueryData<Messages>(conversationKeys.messages(conversation));
  return !!data?.pages.some((page) => page.data.some((one) => one.id === message));
}

/** Takes a conversation as the server has it now. One that moved between the lists is fetched again. */
export function noteConversation(cache: QueryClient, conversation: Conversation): void {
  const before = cache.getQueryData<Conversation>(conversationKeys.one(conversation.id));
  const queryKey = conversationKeys.one(conversation.id);
  cache.setQueryData(queryKey, conversation);
  take(cache, { queryKey }, () => conversation);
  // Another branch was chosen elsewhere.
  const known = cache.getQueryData(conversationKeys.messages(conversation.id));
  if (known && before && before.head !== conversation.head && !has(cache, conversation.id, conversation.head))
    void renewMessages(cache, conversation.id);
  patchLists(cache, conversation.id, (one) =>
    one.archived === conversation.archived ? conversation : undefined,
  );
  if (before?.archived !== conversation.archived) renew(cache, { queryKey: conversationKeys.lists() });
}

/** The messages alone: the versions of one are kept below the same name. */
const messagesOf = (id: string) => ({ queryKey: conversationKeys.messages(id), exact: true });

/** Takes a message as the server has it; one too large for its event is fetched by its id. */
export function applyMessage(
  cache: QueryClient,
  conversation: string,
  message: Message | undefined,
  id?: unknown,
): void {
  if (message) {
    const known = cache.getQueryData<Messages>(conversationKeys.messages(conversation));
    if (known && branches(known, message)) {
      // What stands beside it is counted by the server.
      take<Messages>(cache, messagesOf(conversation), (data) => branchOff(data, message));
      renew(cache, messagesOf(conversation));
      return;
    }
    take<Messages>(cache, messagesOf(conversation), (data) => upsert(data, message));
    return;
  }
  if (!cache.getQueryState(conversationKeys.messages(conversation))) return;
  const path = { conversation, message: String(id) };
  void call(client.GET("/api/v1/conversations/{conversation}/messages/{message}", { params: { path } })).then(
    (one) => applyMessage(cache, conversation, one),
    () => renew(cache, messagesOf(conversation)),
  );
}

/** Where the content of a part lies; undefined for one that holds none. */
export function contentOf(part: Part): string | undefined {
  const id = fileOf(part);
  return id && contentUrl(id);
}
