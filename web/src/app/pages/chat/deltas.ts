import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { eventKeys, noteEvent } from "@/features/events/queries";
import { applyDelta } from "@/features/runs/queries";
import type { Delta } from "@/features/runs/stream";
import { useEvents } from "@/live/react";

/** Follows one conversation: text is flushed once per frame, and not at all while the tab is hidden. */
export function useConversationStream(conversation: string): void {
  const cache = useQueryClient();
  const waiting = useRef<Delta[]>([]);
  const frame = useRef(0);

  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  const flush = () => {
    frame.current = 0;
    const deltas = waiting.current;
    waiting.current = [];
    for (const delta of deltas) applyDelta(cache, delta);
  };

  useEvents([`conversations/${conversation}`], (event) => {
    if (event.kind === "runs.text_delta") {
      waiting.current.push(event.data as Delta);
      if (frame.current === 0) frame.current = requestAnimationFrame(flush);
      return;
    }
    if (cache.getQueryState(eventKeys.of(event.channel))) noteEvent(cache, event);
  });
}
