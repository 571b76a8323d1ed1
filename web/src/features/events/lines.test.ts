import { describe, expect, it } from "vitest";
import type { LiveEvent } from "@/api/types";
import { linesOf, tracksOf } from "./lines";

const start = Date.UTC(2026, 10, 15);
const event = (cursor: number, ms: number, kind: string, data: object = {}): LiveEvent =>
  ({
    cursor,
    channel: "conversations/c1",
    kind,
    at: new Date(start + ms).toISOString(),
    data: { run: "r1", agent: "coordinator", ...data },
  }) as unknown as LiveEvent;

const log = [
  event(1, 0, "runs.queued"),
  event(2, 100, "runs.started", { model: "demo/a", turn: 1 }),
  event(3, 600, "runs.turn_finished", { turn: 1, took_ms: 500, usage: { input: 1000, output: 200 } }),
  event(4, 650, "runs.helper_spawned", { helper: "h1", helper_agent: "research" }),
  event(5, 900, "runs.tool_finished", { tool: "grep", ok: false, took_ms: 200, code: "failed" }),
  event(6, 1000, "runs.waiting", { needs: [{ tool: "run" }] }),
  event(7, 1400, "runs.answered"),
  event(8, 2000, "runs.helper_finished", { helper: "h1", helper_agent: "research", took_ms: 1350 }),
  event(9, 3000, "runs.finished"),
];

describe("the lines of a log", () => {
  it("say what happened, of whom, how much, and when since the question", () => {
    const lines = linesOf([...log].reverse());
    expect(lines.map((one) => one.since)).toEqual([0, 100, 600, 650, 900, 1000, 1400, 2000, 3000]);
    expect(lines[2]).toMatchObject({ words: "Model call", value: "1.2K", family: "model", bad: false });
    expect(lines[3]).toMatchObject({ words: "Helper started", subject: "research", family: "helper" });
    expect(lines[4]).toMatchObject({ subject: "grep", value: "200 ms", bad: true, family: "tool" });
    expect(lines[5]).toMatchObject({ subject: "run", family: "ask" });
  });

  it("count from the newest question", () => {
    const lines = linesOf([...log, event(10, 9000, "runs.queued"), event(11, 9500, "runs.started")]);
    expect(lines.slice(-2).map((one) => one.since)).toEqual([0, 500]);
  });
});

describe("the small waterfall", () => {
  it("has a track for the agent, for each helper, and for waiting", () => {
    const { tracks, total } = tracksOf(log, "r1", start + 99_000);
    expect(total).toBe(3000);
    expect(tracks.map((one) => one.agent)).toEqual(["coordinator", "research", ""]);
    expect(tracks[0]?.bars.map((bar) => [bar.from, bar.to, bar.kind])).toEqual([
      [100, 600, "model"],
      [700, 900, "tool"],
      [2000, 3000, "model"],
    ]);
    expect(tracks[1]?.bars[0]).toMatchObject({ from: 650, to: 2000, open: false });
    expect(tracks[2]?.bars[0]).toMatchObject({ from: 1000, to: 1400, kind: "wait" });
  });

  it("grows while the run goes on", () => {
    const { tracks, total } = tracksOf(log.slice(0, 4), "r1", start + 5000);
    expect(total).toBe(5000);
    expect(tracks[1]?.bars[0]).toMatchObject({ to: 5000, open: true });
  });
});
