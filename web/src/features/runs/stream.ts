import type { Partial, Run } from "@/api/types";

export type Delta = { run: string; message: string; attempt: number; seq: number; text: string };

/** The answer so far, and pieces that came before the ones they follow. */
export type Stream = Received & { message: string; ahead: Delta[] };

/** How far the text of an answer came. */
type Received = Pick<Partial, "attempt" | "seq" | "text">;

/** Nothing heard of the answer yet. */
export function emptyStream(message: string): Stream {
  return { message, attempt: 0, seq: 0, text: "", ahead: [] };
}

/**
 * Adds a piece of streamed text. Pieces are numbered per attempt: a known number is a duplicate, a later one
 * waits for the missing ones, and a new attempt makes the old text void. `gap` asks for a snapshot.
 */
export function addDelta(stream: Stream, delta: Delta): { stream: Stream; gap: boolean } {
  if (delta.attempt < stream.attempt) return { stream, gap: false };
  const base = delta.attempt > stream.attempt ? restart(stream, delta.attempt) : stream;
  if (delta.seq < base.seq) return { stream: base, gap: false };
  if (delta.seq === base.seq && base.ahead.length === 0)
    return { stream: { ...base, seq: base.seq + 1, text: base.text + delta.text }, gap: false };
  const first = base.ahead.length === 0;
  const next = drain({ ...base, ahead: [...base.ahead, delta] });
  return { stream: next, gap: first && next.ahead.length > 0 };
}

/** Takes the server's copy of the answer so far; pieces that came meanwhile are added to it. */
export function addSnapshot(stream: Stream, partial: Received): Stream {
  const newer =
    partial.attempt > stream.attempt || (partial.attempt === stream.attempt && partial.seq > stream.seq);
  if (!newer) return stream;
  const { attempt, seq, text } = partial;
  return drain({
    ...stream,
    attempt,
    seq,
    text,
    ahead: stream.ahead.filter((delta) => delta.attempt === partial.attempt),
  });
}

function restart(stream: Stream, attempt: number): Stream {
  return { message: stream.message, attempt, seq: 0, text: "", ahead: [] };
}

function drain(stream: Stream): Stream {
  const ahead = [...stream.ahead].sort((a, b) => a.seq - b.seq);
  let { seq, text } = stream;
  const left: Delta[] = [];
  for (const delta of ahead) {
    if (delta.seq < seq) continue;
    if (delta.seq > seq) {
      left.push(delta);
      continue;
    }
    text += delta.text;
    seq++;
  }
  return { ...stream, seq, text, ahead: left };
}

/** True while an answer is awaited or written. */
export function isActive(run: Run | undefined): boolean {
  return run?.state === "queued" || run?.state === "running" || run?.state === "waiting";
}
