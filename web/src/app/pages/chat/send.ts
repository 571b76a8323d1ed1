import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { isUnreachable } from "@/api/errors";
import { nextOf, type Outgoing, outbox, useOutbox } from "@/features/conversations/outbox";
import { applyMessage, conversationKeys, noteConversation } from "@/features/conversations/queries";
import { noteRun, startChat } from "@/features/runs/queries";
import { useLiveState } from "@/live/react";

/** How long a message rests after the server could not be reached. */
const againAfter = 2000;

/**
 * Sends what waits in the outbox of one conversation, one message at a time and in order: after the answer
 * that is being written, and after the connection is back. A lost answer is asked for again with the same key.
 */
export function useSender(
  conversation: string | undefined,
  running: boolean,
  onStarted: (conversation: string) => void,
) {
  const cache = useQueryClient();
  const [live] = useLiveState();
  const items = useOutbox();
  const online = live.phase === "open" || live.lostAt === undefined;
  const next = online ? nextOf(items, conversation, running) : undefined;

  // biome-ignore lint/correctness/useExhaustiveDependencies: one send per message, whatever else changes meanwhile
  useEffect(() => {
    if (!next) return;
    outbox.change(next.key, { state: "sending" });
    startChat({
      agent: next.agent,
      message: next.text,
      conversation: next.conversation,
      mode: next.mode,
      model: next.model,
      attachments: next.attachments?.map((file) => file.id),
      key: next.key,
    }).then(
      (started) => {
        noteConversation(cache, started.conversation);
        noteRun(cache, started.run);
        // A run that waits for another has no job yet, and its message is not said yet.
        if (started.steered || started.run.job) applyMessage(cache, started.conversation.id, started.message);
        void cache.invalidateQueries({ queryKey: conversationKeys.lists() });
        outbox.remove(next.key);
        onStarted(started.conversation.id);
      },
      (error: unknown) => {
        if (isUnreachable(error)) setTimeout(() => outbox.change(next.key, { state: "waiting" }), againAfter);
        else
          outbox.change(next.key, {
            state: "failed",
            error: error instanceof Error ? error.message : String(error),
          });
      },
    );
  }, [next?.key, next?.state]);

  const mine = items.filter((item) => item.conversation === conversation);
  return { online, mine };
}

/** Splits the outbox: what is under way is drawn in the thread, the rest waits above the composer. */
export function splitOutbox(items: readonly Outgoing[]): { sending: Outgoing[]; queued: Outgoing[] } {
  return {
    sending: items.filter((item) => item.state === "sending"),
    queued: items.filter((item) => item.state !== "sending"),
  };
}
