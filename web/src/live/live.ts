import type { LiveEvent } from "@/api/types";
import { type Control, matches, parse } from "./protocol";
import { backoff, Tracker } from "./tracker";
import { openSocket, openStream, type Transport, type TransportKind } from "./transport";

export type LiveState = {
  phase: "idle" | "connecting" | "open" | "waiting";
  transport: TransportKind;
  /** Round trip of the last ping in milliseconds. */
  latency: number | undefined;
  /** How many tries since the connection was lost. */
  attempt: number;
  /** When the connection was lost, in epoch milliseconds. */
  lostAt: number | undefined;
  nextTryAt: number | undefined;
};

export type Interest = { channels: readonly string[]; on: (event: LiveEvent) => void };

export type LiveOptions = {
  socket?: (url: string) => Transport;
  stream?: (url: string) => Transport;
  base: string;
  random?: () => number;
  /** Events may be missing: everything shown has to be fetched again. */
  onStale: () => void;
  /** The connection could not be opened: ask over HTTP whether we are still signed in. */
  onRefused?: () => void;
};

const pingEvery = 10_000;
const pongWithin = 8_000;
const socketTries = 3;

/** One connection per tab to the event log. Parts of the page say what they want; it resumes by itself. */
export class Live {
  private state: LiveState = {
    phase: "idle",
    transport: "socket",
    latency: undefined,
    attempt: 0,
    lostAt: undefined,
    nextTryAt: undefined,
  };
  private readonly listeners = new Set<() => void>();
  private readonly interests = new Set<Interest>();
  private readonly asked = new Map<string, number | undefined>();
  private readonly tracker = new Tracker();
  private transport: Transport | undefined;
  private timers: { retry?: number; ping?: number; pong?: number } = {};
  private everOpened = false;
  private pingAt = 0;
  private nextId = 1;

  constructor(private readonly options: LiveOptions) {}

  snapshot = (): LiveState => this.state;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Registers what a part of the page wants to hear; the answer takes it back. */
  want(interest: Interest): () => void {
    const before = this.channels();
    this.interests.add(interest);
    const added = interest.channels.filter((channel) => !before.includes(channel));
    if (added.length > 0) this.widen(added);
    return () => {
      this.interests.delete(interest);
      const left = this.channels();
      const gone = interest.channels.filter((channel) => !left.includes(channel));
      if (gone.length > 0) this.narrow(gone);
    };
  }

  start(): void {
    if (this.state.phase === "idle") this.open();
  }

  /** Ends the connection and forgets the cursor, for sign-out and another workspace. */
  stop(): void {
    this.drop();
    this.clearTimers();
    this.tracker.restart();
    this.everOpened = false;
    this.set({
      phase: "idle",
      attempt: 0,
      lostAt: undefined,
      latency: undefined,
      nextTryAt: undefined,
      transport: "socket",
    });
  }

  /** Tries again at once, for the "Now" button and for a browser that came back online. */
  retryNow(): void {
    if (this.state.phase === "waiting") this.open();
  }

  private channels(): string[] {
    return [...new Set([...this.interests].flatMap((interest) => interest.channels))].sort();
  }

  private open(): void {
    this.clearTimers();
    this.drop();
    const kind = this.state.transport;
    this.set({ phase: "connecting", nextTryAt: undefined });
    const transport =
      kind === "socket"
        ? (this.options.socket ?? openSocket)(`${this.options.base}/api/v1/ws`)
        : (this.options.stream ?? openStream)(this.streamUrl());
    this.transport = transport;
    transport.onOpen = () => this.opened();
    transport.onText = (text) => this.received(text);
    transport.onClose = () => this.closed(transport);
  }

  private streamUrl(): string {
    const query = new URLSearchParams({ channels: this.channels().join(",") });
    if (this.tracker.after !== undefined) query.set("after", String(this.tracker.after));
    return `${this.options.base}/api/v1/events/stream?${query}`;
  }

  private opened(): void {
    const missedAny =
      this.state.transport === "stream" && this.tracker.after === undefined && this.state.attempt > 0;
    this.everOpened = true;
    this.set({ phase: "open", attempt: 0, lostAt: undefined });
    if (missedAny) this.options.onStale();
    if (this.state.transport !== "socket") return;
    this.asked.clear();
    const channels = this.channels();
    if (channels.length > 0) this.send("subscribe", channels, this.tracker.after);
    this.ping();
  }

  private closed(transport: Transport): void {
    if (this.transport !== transport) return;
    this.transport = undefined;
    this.clearTimers();
    const attempt = this.state.attempt + 1;
    const blocked = this.state.transport === "socket" && !this.everOpened && attempt >= socketTries;
    const wait = backoff(attempt, this.options.random);
    this.set({
      phase: "waiting",
      attempt,
      lostAt: this.state.lostAt ?? Date.now(),
      nextTryAt: Date.now() + wait,
      latency: undefined,
      transport: blocked ? "stream" : this.state.transport,
    });
    if (attempt % 2 === 0) this.options.onRefused?.();
    this.timers.retry = window.setTimeout(() => this.open(), wait);
  }

  private received(text: string): void {
    const frame = parse(text);
    if (!frame) return;
    if ("control" in frame) {
      this.control(frame.control);
      return;
    }
    if (this.tracker.accept(frame.event.cursor) === "duplicate") return;
    for (const interest of this.interests) {
      if (interest.channels.some((pattern) => matches(pattern, frame.event.channel)))
        interest.on(frame.event);
    }
  }

  private control(control: Control): void {
    switch (control.op) {
      case "pong":
        window.clearTimeout(this.timers.pong);
        this.set({ latency: Math.max(1, Math.round(performance.now() - this.pingAt)) });
        this.timers.ping = window.setTimeout(() => this.ping(), pingEvery);
        return;
      case "subscribed":
        if (this.tracker.started(control.cursor, this.asked.get(control.id ?? "")) === "stale")
          this.options.onStale();
        return;
      case "cursor_expired":
        this.tracker.restart(control.cursor);
        this.options.onStale();
        if (this.state.transport === "socket") this.send("subscribe", this.channels());
    }
  }

  private ping(): void {
    this.pingAt = performance.now();
    this.transport?.send(JSON.stringify({ op: "ping" }));
    this.timers.pong = window.setTimeout(() => this.lost(), pongWithin);
  }

  /** No answer to a ping: the connection is dead although nobody said so. */
  private lost(): void {
    const transport = this.transport;
    if (!transport) return;
    transport.close();
    this.closed(transport);
  }

  private widen(channels: string[]): void {
    if (this.state.phase !== "open") return;
    if (this.state.transport === "socket") this.send("subscribe", channels);
    else this.open();
  }

  private narrow(channels: string[]): void {
    if (this.state.phase !== "open" || this.state.transport !== "socket") return;
    this.transport?.send(JSON.stringify({ op: "unsubscribe", channels }));
  }

  private send(op: "subscribe", channels: string[], after?: number): void {
    const id = `c${this.nextId++}`;
    this.asked.set(id, after);
    this.transport?.send(
      JSON.stringify(after === undefined ? { op, channels, id } : { op, channels, after, id }),
    );
  }

  private drop(): void {
    const transport = this.transport;
    this.transport = undefined;
    transport?.close();
  }

  private clearTimers(): void {
    for (const timer of Object.values(this.timers)) window.clearTimeout(timer);
    this.timers = {};
  }

  private set(change: Partial<LiveState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }
}
