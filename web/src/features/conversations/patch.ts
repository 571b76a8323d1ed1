import type { InfiniteData } from "@tanstack/react-query";
import type { Message, Page } from "@/api/types";

export type Messages = InfiniteData<Page<Message>>;

/** All messages of a cache entry, oldest first. Ids are time-ordered, so they sort equal times. */
export function ordered(data: Messages | undefined): Message[] {
  const all = data?.pages.flatMap((page) => page.data) ?? [];
  return [...all].sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id));
}

/** Puts a message in, or in the place of the one with its id. */
export function upsert(data: Messages | undefined, message: Message): Messages | undefined {
  if (!data) return data;
  let found = false;
  const pages = data.pages.map((page) => ({
    ...page,
    data: page.data.map((one) => {
      if (one.id !== message.id) return one;
      found = true;
      return message;
    }),
  }));
  const first = pages[0];
  if (!found && first) pages[0] = { ...first, data: [message, ...first.data] };
  return { ...data, pages };
}

/** The text of a message. */
export function textOf(message: Message): string {
  return message.parts
    .filter((part) => part.kind === "text")
    .map((part) => part.text ?? "")
    .join("");
}
