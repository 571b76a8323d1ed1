import { notifyManager, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { LiveEvent } from "@/api/types";
import { eventKeys, noteEvent } from "@/features/events/queries";
import { applyDelta, applyWorkEvent } from "@/features/runs/queries";
import type { Delta } from "@/features/runs/stream";
import { useEvents } from "@/live/react";

/** Between two drawings of what streams, in milliseconds: every second frame, so that half of the time is left for the person. */
const pause = 30;

const presence = () => import("@/features/conversations/presence");

/** Follows one conversation, or one helper: what streams is drawn at most 30 times a second, and not at all while the tab is hidden. */
export function useWorkStream(channel: string): void {
  const cache = useQueryClient();
  const waiting = useRef<LiveEvent[]>([]);
  const frame = useRef(0);
  const drawn = useRef(0);

  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  const apply = (event: LiveEvent) => {
    if (event.kind === "runs.text_delta") applyDelta(cache, event.data as Delta);
    else applyWorkEvent(cache, event);
  };
  const draw = (now: number) => {
    if (now - drawn.current < pause) frame.current = requestAnimationFrame(draw);
    else {
      drawn.current = now;
      flush();
    }
  };
  const flush = () => {
    frame.current = 0;
    const events = waiting.current;
    waiting.current = [];
    notifyManager.batch(() => events.forEach(apply)); // one drawing for all of a frame
  };

  useEvents([channel], (event) => {
    if (event.kind === "conversations.presence") {
      void presence().then((module) => module.noteVisitor(event));
      return;
    }
    if (event.cursor === undefined) {
      waiting.current.push(event);
      if (frame.current === 0) frame.current = requestAnimationFrame(draw);
      return;
    }
    if (event.kind.startsWith("runs.")) {
      flush();
      apply(event);
    }
    if (cache.getQueryState(eventKeys.of(event.channel))) noteEvent(cache, event);
  });
}
