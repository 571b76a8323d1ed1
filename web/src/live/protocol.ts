import type { LiveEvent } from "@/api/types";

export type Control =
  | { op: "subscribed"; id?: string; cursor?: number }
  | { op: "unsubscribed"; id?: string }
  | { op: "pong" }
  | { op: "throttled" }
  | { op: "error"; error?: { code?: string; message?: string } }
  | { op: "cursor_expired"; snapshot?: string; cursor?: number };

export type Incoming = { event: LiveEvent } | { control: Control } | undefined;

const controls = new Set(["subscribed", "unsubscribed", "pong", "throttled", "error", "cursor_expired"]);

/** Reads one frame; a frame of a newer server that we do not know is skipped, never fatal. */
export function parse(text: string): Incoming {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const frame = value as Record<string, unknown>;
  if (typeof frame.op === "string") return controls.has(frame.op) ? { control: frame as Control } : undefined;
  if (typeof frame.kind !== "string" || typeof frame.channel !== "string") return undefined;
  return { event: { ...(frame as LiveEvent), data: (frame.data as LiveEvent["data"]) ?? {} } };
}

/** True when a channel name fits a pattern: `*` is one segment, `**` is the rest. */
export function matches(pattern: string, channel: string): boolean {
  const want = pattern.split("/");
  const have = channel.split("/");
  for (let i = 0; i < want.length; i++) {
    if (want[i] === "**") return true;
    if (have[i] === undefined) return false;
    if (want[i] !== "*" && want[i] !== have[i]) return false;
  }
  return want.length === have.length;
}
