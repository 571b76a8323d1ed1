import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { LiveEvent } from "@/api/types";
import { eventKeys, noteEvent } from "@/features/events/queries";
import { applyDelta, applyWorkEvent } from "@/features/runs/queries";
import type { Delta } from "@/features/runs/stream";
import { useEvents } from "@/live/react";

const presence = () => import("@/features/conversations/presence");

/** Follows one conversation, or one helper: what streams is flushed once per frame, and not at all while the tab is hidden. */
export function useWorkStream(channel: string): void {
  const cache = useQueryClient();
  const waiting = useRef<LiveEvent[]>([]);
  const frame = useRef(0);

  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  const apply = (event: LiveEvent) => {
    if (event.kind === "runs.text_delta") applyDelta(cache, event.data as Delta);
    else applyWorkEvent(cache, event);
  };
  const flush = () => {
    frame.current = 0;
    const events = waiting.current;
    waiting.current = [];
    for (const event of events) apply(event);
  };

  useEvents([channel], (event) => {
    if (event.kind === "conversations.presence") {
      void presence().then((module) => module.noteVisitor(event));
      return;
    }
    if (event.cursor === undefined) {
      waiting.current.push(event);
      if (frame.current === 0) frame.current = requestAnimationFrame(flush);
      return;
    }
    if (event.kind.startsWith("runs.")) {
      flush();
      apply(event);
    }
    if (cache.getQueryState(eventKeys.of(event.channel))) noteEvent(cache, event);
  });
}
