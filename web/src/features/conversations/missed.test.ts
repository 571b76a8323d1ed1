import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { applyConversationEvent, conversationKeys } from "./queries";

it("asks again when a message comes while its chat is read for the first time", async () => {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const queryKey = conversationKeys.messages("conv_1");
  const answers: ((page: unknown) => void)[] = [];
  const observer = new InfiniteQueryObserver(cache, {
    queryKey,
    initialPageParam: "",
    getNextPageParam: () => undefined,
    queryFn: () => new Promise<unknown>((resolve) => answers.push(resolve)),
  });
  const read = new Promise<unknown>((resolve) => {
    observer.subscribe(({ data }) => data && resolve(data.pages));
  });
  expect(answers).toHaveLength(1);
  const message = { id: "msg_2", conversation: "conv_1" };
  applyConversationEvent(cache, {
    cursor: 1,
    channel: "conversations/conv_1",
    kind: "conversations.message_added",
    at: "2026-11-15T10:00:00Z",
    data: { id: "msg_2", message },
  });
  answers[0]?.({ data: [{ id: "msg_1" }] }); // as it was before the message
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.({ data: [{ id: "msg_1" }, message] });
  expect(await read).toEqual([{ data: [{ id: "msg_1" }, message] }]);
  cache.clear();
});
