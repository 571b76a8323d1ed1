import { useEffect, useSyncExternalStore } from "react";
import type { LiveEvent } from "@/api/types";
import { newKey } from "@/lib/random";
import { appear } from "./notes/queries";

/** Another window that shows this conversation. */
export type Visitor = {
  window: string;
  user: string;
  name: string;
  device?: string;
  typing?: boolean;
  /** When it last said so, in epoch milliseconds. */
  at: number;
};

/** How often a window says that it is there, and how long it counts without doing so. */
export const every = 20_000;
export const gone = 50_000;

/** This window, for as long as it lives. */
const me = newKey().slice(0, 16);

/** Takes what a window said; what it said of itself counts for nothing. */
export function hear(
  list: readonly Visitor[],
  event: LiveEvent,
  self = me,
  now = Date.now(),
): readonly Visitor[] {
  const said = event.data as unknown as Visitor & { left?: boolean };
  if (said.window === self) return list;
  const others = list.filter((one) => one.window !== said.window && now - one.at < gone);
  if (said.left) return others;
  const { window, user, name, device, typing } = said;
  const known = { window, user, name, at: now, ...(device ? { device } : {}), ...(typing ? { typing } : {}) };
  return [...others, known].sort((a, b) => a.name.localeCompare(b.name) || a.window.localeCompare(b.window));
}

let visitors: readonly Visitor[] = [];
let typing = false;
let say: ((more?: object) => void) | undefined;
const listeners = new Set<() => void>();

function set(next: readonly Visitor[]) {
  if (next.length === 0 && visitors.length === 0) return;
  visitors = next;
  for (const listener of listeners) listener();
}

/** Who else looks at the conversation on this page. */
export function useVisitors(): readonly Visitor[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => visitors,
  );
}

/** Tells the others whether something is being typed here; only a change is told. */
export function noteTyping(now: boolean): void {
  if (now === typing) return;
  typing = now;
  if (visitors.length > 0) say?.();
}

/** Takes an event of the conversation's channel; one that asks is answered. */
export function noteVisitor(event: LiveEvent): void {
  if (event.kind !== "conversations.presence") return;
  set(hear(visitors, event));
  if (event.data.asks && event.data.window !== me) say?.();
}

/** Says that this window shows a conversation, for as long as it does and can be seen. */
export function usePresence(conversation: string): void {
  useEffect(() => {
    const device = innerWidth < 640 ? "phone" : innerWidth < 1024 ? "tablet" : "desktop";
    let timer = 0;
    say = (more) => {
      appear(conversation, { window: me, device, ...(typing ? { typing } : {}), ...more });
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        set(visitors.filter((one) => Date.now() - one.at < gone));
        if (document.visibilityState === "visible") say?.();
      }, every);
    };
    const leave = () => appear(conversation, { window: me, left: true }, true);
    const seen = () => document.visibilityState === "visible" && say?.({ asks: true });
    say({ asks: true });
    window.addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", seen);
      say = undefined;
      set([]);
      leave();
    };
  }, [conversation]);
}
