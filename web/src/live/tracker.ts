export type Verdict = "deliver" | "duplicate" | "late";
export type Start = "fresh" | "resumed" | "stale";

/**
 * Knows how far this tab has read the event log of its workspace. Events carry a cursor that only rises;
 * deltas carry none and always pass. A filtered subscription sees holes between cursors, so a hole alone is
 * no gap: what says that something is missing is an expired cursor or a log that is shorter than what we read.
 */
export class Tracker {
  private last: number | undefined;
  private floor = 0;
  private readonly seen = new Set<number>();
  private readonly remember: number;

  constructor(remember = 2048) {
    this.remember = remember;
  }

  /** The cursor to resume after, undefined before the first answer of the server. */
  get after(): number | undefined {
    return this.last;
  }

  /** Judges one event. A late one (lower than the newest, not seen yet) is still worth delivering. */
  accept(cursor: number | undefined): Verdict {
    if (cursor === undefined || cursor === 0) return "deliver";
    if (cursor <= this.floor || this.seen.has(cursor)) return "duplicate";
    this.note(cursor);
    if (this.last !== undefined && cursor < this.last) return "late";
    this.last = cursor;
    return "deliver";
  }

  /** Judges the server's answer to a subscribe that asked for everything after `asked`. */
  started(head: number | undefined, asked: number | undefined): Start {
    if (head === undefined) return asked === undefined ? "fresh" : "resumed";
    if (asked === undefined) {
      if (this.last === undefined || head > this.last) this.last = head;
      return "fresh";
    }
    if (head < asked) {
      this.restart(head);
      return "stale";
    }
    return "resumed";
  }

  /** Forgets the past: the snapshot that is fetched next is the new beginning. */
  restart(head?: number): void {
    this.last = head;
    this.floor = 0;
    this.seen.clear();
  }

  private note(cursor: number): void {
    this.seen.add(cursor);
    if (this.seen.size <= this.remember) return;
    const ordered = [...this.seen].sort((a, b) => a - b);
    for (const old of ordered.slice(0, ordered.length >> 1)) {
      this.seen.delete(old);
      this.floor = Math.max(this.floor, old);
    }
  }
}

/** How long to wait before try `n` (1 is the first): doubling, at most 15 s, half of it random. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(15_000, 250 * 2 ** Math.min(attempt - 1, 10));
  return Math.round(full / 2 + random() * (full / 2));
}
