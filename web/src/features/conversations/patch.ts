import type { InfiniteData } from "@tanstack/react-query";
import type { Message, Page } from "@/api/types";

export type Messages = InfiniteData<Page<Message>>;

/** Whether one message was written after another. Ids decide equal times; a time may have fewer digits than another. */
function later(a: Message, b: Message): boolean {
  if (a.created_at === b.created_at) return a.id > b.id;
  if (a.created_at.length === b.created_at.length) return a.created_at > b.created_at;
  return Date.parse(a.created_at) > Date.parse(b.created_at);
}

/** All messages of a cache entry, oldest first. Pages bring them the other way round, so there is hardly ever something to sort. */
export function ordered(data: Messages | undefined): Message[] {
  const all = data?.pages.flatMap((page) => page.data).reverse() ?? [];
  const order = all.every((one, i) => i === 0 || later(one, all[i - 1] as Message));
  return order ? all : all.sort((a, b) => (later(a, b) ? 1 : -1));
}

/** Puts a message in, or in the place of the one with its id. */
export function upsert(data: Messages, message: Message): Messages {
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

/** Puts notes on the message with an id. */
export function annotate(data: Messages, id: string, notes: Message["notes"]): Messages {
  const message = data.pages.flatMap((page) => page.data).find((one) => one.id === id);
  return message && notes ? upsert(data, { ...message, notes }) : data;
}

/** The text of a message. */
export function textOf(message: Message): string {
  return message.parts
    .filter((part) => part.kind === "text")
    .map((part) => part.text ?? "")
    .join("");
}
