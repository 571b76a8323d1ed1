import { notifyManager, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import type { LiveEvent } from "@/api/types";
import { eventKeys, noteEvent } from "@/features/events/queries";
import { applyDeltas, applyWorkEvents } from "@/features/runs/queries";
import type { Delta } from "@/features/runs/stream";
import { arrive } from "@/lib/on-demand";
import { useEvents } from "@/live/react";

/** Between two drawings of what streams, in milliseconds: every fourth frame, so that most of the time is left for the person. */
const pause = 64;

const presence = () => arrive(() => import("@/features/conversations/presence"));

/** Calls in so many milliseconds; in a hidden tab not before it is seen again. A frame is not asked for: it would be drawn just to look at the clock. */
function soon(call: () => void, ms: number): () => void {
  if (document.hidden) {
    const frame = requestAnimationFrame(call);
    return () => cancelAnimationFrame(frame);
  }
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Follows one conversation, or one helper: what streams is drawn about 15 times a second, and not at all while the tab is hidden. */
export function useWorkStream(channel: string): void {
  const cache = useQueryClient();
  const waiting = useRef<LiveEvent[]>([]);
  const stop = useRef<() => void>(undefined);
  const drawn = useRef(0);

  const halt = useCallback(() => {
    stop.current?.();
    stop.current = undefined;
  }, []);
  useEffect(() => halt, [halt]);

  const flush = () => {
    halt();
    drawn.current = performance.now();
    const events = waiting.current;
    waiting.current = [];
    const said = events.filter((event) => event.kind === "runs.text_delta");
    // One drawing for all of them.
    notifyManager.batch(() => {
      applyDeltas(
        cache,
        said.map((event) => event.data as Delta),
      );
      applyWorkEvents(
        cache,
        events.filter((event) => event.kind !== "runs.text_delta"),
      );
    });
  };

  useEvents([channel], (event) => {
    if (event.kind === "conversations.presence") {
      void presence().then((module) => module.noteVisitor(event));
      return;
    }
    if (event.cursor === undefined) {
      waiting.current.push(event);
      stop.current ??= soon(flush, drawn.current + pause - performance.now());
      return;
    }
    if (event.kind.startsWith("runs.")) {
      flush();
      applyWorkEvents(cache, [event]);
    }
    if (cache.getQueryState(eventKeys.of(event.channel))) noteEvent(cache, event);
  });
}
