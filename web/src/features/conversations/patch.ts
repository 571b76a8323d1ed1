import type { InfiniteData } from "@tanstack/react-query";
import type { Message, Page } from "@/api/types";
import { byTime } from "@/lib/time";

export type Messages = InfiniteData<Page<Message>>;

/** The order of two messages, the earlier first. A millisecond can hold several; ids decide equal times. */
const inOrder = (a: Message, b: Message) => byTime(a.created_at, b.created_at) || (a.id < b.id ? -1 : 1);

/** All messages of a cache entry, oldest first. Pages bring them the other way round, so there is hardly ever something to sort. */
export function ordered(data: Messages | undefined): Message[] {
  const all = data?.pages.flatMap((page) => page.data).reverse() ?? [];
  const order = all.every((one, i) => i === 0 || inOrder(all[i - 1] as Message, one) < 0);
  return order ? all : all.sort(inOrder);
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

/** Whether a new message branches off: it follows one that something else follows already. */
export function branches(data: Messages, message: Message): boolean {
  const known = (id: string | undefined) => data.pages.some((page) => page.data.some((one) => one.id === id));
  return data.pages[0]?.data[0]?.id !== message.parent && known(message.parent) && !known(message.id);
}

/** Puts a message that branches off in the place of all that follows its parent. */
export function branchOff(data: Messages, message: Message): Messages {
  const at = data.pages.findIndex((page) => page.data.some((one) => one.id === message.parent));
  if (at < 0 || !branches(data, message)) return upsert(data, message);
  const pages = data.pages.slice(at);
  const first = pages[0]?.data ?? [];
  const rest = first.slice(first.findIndex((one) => one.id === message.parent));
  return {
    pages: pages.map((page, i) => (i === 0 ? { ...page, data: [message, ...rest] } : page)),
    pageParams: [data.pageParams[0], ...data.pageParams.slice(at + 1)],
  };
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
