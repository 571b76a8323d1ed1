import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it } from "vitest";
import type { Message } from "@/api/types";
import { type Messages, ordered } from "./patch";
import { applyConversationEvent, conversationKeys } from "./queries";

const queryKey = conversationKeys.messages("conv_1");
const message = (n: number) =>
  ({
    id: `msg_${n}`,
    conversation: "conv_1",
    created_at: `2026-11-15T10:00:0${n}Z`,
  }) as Message;

let cache = new QueryClient();
afterEach(() => {
  cache.clear();
  cache = new QueryClient();
});

/** Messages that somebody reads; every answer is given by hand. */
function reading() {
  const asked: ((page: object) => void)[] = [];
  const observer = new InfiniteQueryObserver(cache, {
    queryKey,
    initialPageParam: "",
    getNextPageParam: () => "earlier",
    queryFn: () => new Promise<object>((resolve) => asked.push(resolve)),
    retry: false,
  });
  observer.subscribe(() => undefined);
  const settled = () => cache.getQueryCache().find({ queryKey })?.promise;
  return {
    observer,
    /** Answers what was asked last, once it is asked. */
    async answer(...numbers: number[]) {
      const flight = settled();
      asked.at(-1)?.({ data: numbers.map(message).reverse(), has_more: true });
      await flight;
      return shown();
    },
    count: () => asked.length,
  };
}

const shown = () => ordered(cache.getQueryData<Messages>(queryKey)).map((one) => one.id);

function say(n: number) {
  applyConversationEvent(cache, {
    cursor: n,
    channel: "conversations/conv_1",
    kind: "conversations.message_added",
    at: message(n).created_at,
    data: { id: `msg_${n}`, message: message(n) },
  });
}

it("keeps a message that comes while its chat is read for the first time", async () => {
  const { answer, count } = reading();
  say(2);
  expect(await answer(1)).toEqual(["msg_1", "msg_2"]);
  expect(count()).toBe(1);
});

it("keeps a message that comes while its chat is read again", async () => {
  const { answer, observer } = reading();
  await answer(1);
  void observer.refetch();
  say(2);
  expect(shown()).toEqual(["msg_1", "msg_2"]);
  expect(await answer(1)).toEqual(["msg_1", "msg_2"]);
});

it("keeps a message that comes while earlier ones are read", async () => {
  const { answer, observer } = reading();
  await answer(2);
  void observer.fetchNextPage();
  say(3);
  expect(await answer(1)).toEqual(["msg_1", "msg_2", "msg_3"]);
});

it("has a message once that the answer knows already", async () => {
  const { answer } = reading();
  say(2);
  expect(await answer(1, 2)).toEqual(["msg_1", "msg_2"]);
});
