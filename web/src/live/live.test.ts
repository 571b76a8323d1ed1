import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LiveEvent } from "@/api/types";
import { Live } from "./live";
import { matches, parse } from "./protocol";
import { dataFrames, type Transport } from "./transport";

class FakeTransport implements Transport {
  onOpen = () => {};
  onText = (_: string) => {};
  onClose = () => {};
  readonly sent: Record<string, unknown>[] = [];
  closed = false;
  constructor(readonly url: string) {}
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.closed = true;
  }
  say(frame: unknown) {
    this.onText(JSON.stringify(frame));
  }
  fact(cursor: number, channel = "conversations/c1") {
    this.say({ cursor, channel, kind: "conversations.changed", at: "2026-11-15T00:00:00Z", data: {} });
  }
  asked(op: string) {
    return this.sent.filter((frame) => frame.op === op);
  }
}

function start() {
  const sockets: FakeTransport[] = [];
  const streams: FakeTransport[] = [];
  const stale = vi.fn();
  const refused = vi.fn();
  const heard: (number | undefined)[] = [];
  const open = (list: FakeTransport[]) => (url: string) => {
    const made = new FakeTransport(url);
    list.push(made);
    return made;
  };
  const live = new Live({
    base: "http://here",
    socket: open(sockets),
    stream: open(streams),
    random: () => 1,
    onStale: stale,
    onRefused: refused,
  });
  live.want({ channels: ["conversations/*"], on: (event: LiveEvent) => heard.push(event.cursor) });
  live.start();
  const last = () => {
    const socket = sockets.at(-1);
    if (!socket) throw new Error("no socket was opened");
    return socket;
  };
  return { live, sockets, streams, stale, refused, heard, last };
}

describe("Live", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("subscribes to what is wanted and hands out events once", () => {
    const { last, heard } = start();
    last().onOpen();
    expect(last().asked("subscribe")).toMatchObject([{ channels: ["conversations/*"] }]);
    expect(last().asked("subscribe")[0]).not.toHaveProperty("after");
    last().say({ op: "subscribed", id: "c1", cursor: 10 });
    last().fact(11);
    last().fact(11);
    last().fact(12);
    last().fact(13, "jobs/j1");
    expect(heard).toEqual([11, 12]);
  });

  it("resumes after the last cursor when the connection comes back", () => {
    const { live, sockets, last, heard, stale } = start();
    last().onOpen();
    last().say({ op: "subscribed", id: "c1", cursor: 10 });
    last().fact(11);
    last().onClose();
    expect(live.snapshot()).toMatchObject({ phase: "waiting", attempt: 1 });
    vi.advanceTimersByTime(250);
    expect(sockets).toHaveLength(2);
    last().onOpen();
    expect(last().asked("subscribe")).toMatchObject([{ after: 11 }]);
    last().say({ op: "subscribed", id: "c2", cursor: 14 });
    last().fact(11);
    last().fact(14);
    expect(heard).toEqual([11, 14]);
    expect(stale).not.toHaveBeenCalled();
    expect(live.snapshot()).toMatchObject({ phase: "open", attempt: 0, lostAt: undefined });
  });

  it("asks for everything again when its cursor has expired, then follows from the new head", () => {
    const { last, stale, heard } = start();
    last().onOpen();
    last().say({ op: "subscribed", id: "c1", cursor: 10 });
    last().fact(11);
    last().onClose();
    vi.advanceTimersByTime(250);
    last().onOpen();
    last().say({ op: "cursor_expired", id: "c2", cursor: 9000, snapshot: "GET /api/v1/conversations" });
    expect(stale).toHaveBeenCalledTimes(1);
    expect(last().asked("subscribe")).toHaveLength(2);
    expect(last().asked("subscribe")[1]).not.toHaveProperty("after");
    last().fact(9001);
    expect(heard).toEqual([11, 9001]);
  });

  it("measures the round trip and gives up on a silent connection", () => {
    const { live, sockets, last } = start();
    last().onOpen();
    last().say({ op: "pong" });
    expect(live.snapshot().latency).toBeGreaterThan(0);
    vi.advanceTimersByTime(10_000);
    expect(last().asked("ping")).toHaveLength(2);
    vi.advanceTimersByTime(8000);
    expect(sockets[0]?.closed).toBe(true);
    expect(live.snapshot().phase).toBe("waiting");
  });

  it("falls back to the event stream when sockets are blocked", () => {
    const { live, last, streams, heard, refused } = start();
    for (let i = 0; i < 3; i++) {
      last().onClose();
      vi.advanceTimersByTime(20_000);
    }
    expect(refused).toHaveBeenCalled();
    expect(streams).toHaveLength(1);
    expect(streams[0]?.url).toContain("/api/v1/events/stream?channels=conversations");
    streams[0]?.onOpen();
    streams[0]?.fact(3);
    expect(heard).toEqual([3]);
    expect(live.snapshot()).toMatchObject({ phase: "open", transport: "stream" });
  });

  it("follows more channels on the same connection and lets them go again", () => {
    const { live, last } = start();
    last().onOpen();
    const drop = live.want({ channels: ["jobs/*", "conversations/*"], on: () => {} });
    expect(last().asked("subscribe").at(-1)).toMatchObject({ channels: ["jobs/*"] });
    drop();
    expect(last().asked("unsubscribe")).toMatchObject([{ channels: ["jobs/*"] }]);
  });

  it("tries at once when asked to", () => {
    const { live, sockets, last } = start();
    last().onClose();
    live.retryNow();
    expect(sockets).toHaveLength(2);
  });
});

describe("protocol", () => {
  it.each([
    ["conversations/*", "conversations/c1", true],
    ["conversations/*", "conversations/c1/x", false],
    ["identity/**", "identity", true],
    ["runs/**", "runs/r1/steps/2", true],
    ["jobs", "jobs/j1", false],
  ])("%s on %s: %s", (pattern, channel, expected) => {
    expect(matches(pattern, channel)).toBe(expected);
  });

  it("skips frames it does not know", () => {
    expect(parse("not json")).toBeUndefined();
    expect(parse('{"op":"something_new"}')).toBeUndefined();
    expect(parse("[1]")).toBeUndefined();
  });

  it("reads event streams cut anywhere", () => {
    const text = 'id: 1\nevent: a\ndata: {"n":1}\n\n: ping\n\ndata: {"n":\ndata: 2}\n\n';
    for (let cut = 0; cut <= text.length; cut++) {
      const got: unknown[] = [];
      const emit = (data: string) => got.push(JSON.parse(data));
      const rest = dataFrames(text.slice(0, cut), emit);
      dataFrames(rest + text.slice(cut), emit);
      expect(got).toEqual([{ n: 1 }, { n: 2 }]);
    }
  });
});
