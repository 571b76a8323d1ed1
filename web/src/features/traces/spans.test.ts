import { expect, test } from "vitest";
import type { Run } from "@/api/types";
import type { Step } from "./queries";
import { criticalPath, layout, spansOf, ticks, unfolded, zoom } from "./spans";
import { percentile } from "./spread";

const at = (ms: number) => new Date(Date.UTC(2026, 10, 15) + ms).toISOString();

const run = (id: string, from: number, to: number, more: Partial<Run> = {}): Run => ({
  id,
  conversation: "conv_1",
  user: "usr_1",
  door: "chat",
  agent: "coordinator",
  model: "demo/assistant",
  state: "finished",
  question: "",
  answer: "",
  attempt: 1,
  title: "Do two things",
  turns: 1,
  calls: 1,
  spent_micros: 0,
  created_at: at(from),
  started_at: at(from),
  finished_at: at(to),
  ...more,
});

const step = (seq: number, kind: string, from: number, to: number, more: Partial<Step> = {}): Step => ({
  run: "run_1",
  seq,
  kind,
  name: kind,
  state: "finished",
  started_at: at(from),
  finished_at: at(to),
  ...more,
});

test("helpers lie inside the call that asked for them", () => {
  const spans = spansOf(
    {
      run: run("run_1", 0, 100),
      steps: [
        step(1, "model", 0, 10, { turn: 1, ttft_ms: 4 }),
        step(2, "tool", 10, 90, { name: "delegate", call: "c1" }),
        step(3, "model", 90, 100, { turn: 2 }),
      ],
      helpers: [
        {
          run: run("run_2", 12, 80, { agent: "coder", call: "c1", task: "fix" }),
          steps: [step(1, "tool", 20, 30, { state: "failed" })],
          helpers: [],
        },
      ],
    },
    0,
  );
  expect(spans.map((one) => [one.name, one.depth, one.start, one.end, one.state])).toEqual([
    ["request", 0, 0, 100, "done"],
    ["model.turn 1", 1, 0, 10, "done"],
    ["tool.delegate", 1, 10, 90, "done"],
    ["coder.run", 2, 12, 80, "done"],
    ["tool.tool", 3, 20, 30, "failed"],
    ["model.turn 2", 1, 90, 100, "done"],
  ]);
});

test("bars fit their box and are never too thin to see", () => {
  const [whole, turn] = spansOf(
    { run: run("run_1", 0, 1000), steps: [step(1, "model", 999, 1000)], helpers: [] },
    0,
  );
  expect(whole && layout(whole, 1000)).toEqual({ left: 0, width: 100, first: 0, label: "inside" });
  const thin = turn && layout(turn, 1000);
  expect(thin?.width).toBeGreaterThanOrEqual(0.4);
  expect((thin?.left ?? 0) + (thin?.width ?? 0)).toBeLessThanOrEqual(100);
});

test("what still runs ends now", () => {
  const { finished_at: _, ...open } = run("run_1", 0, 0, { state: "running" });
  expect(spansOf({ run: open, steps: [], helpers: [] }, Date.UTC(2026, 10, 15) + 500)[0]).toMatchObject({
    end: 500,
    state: "running",
  });
});

test("the axis has a few round marks", () => {
  expect(ticks(18_420)).toEqual([0, 5000, 10_000, 15_000]);
  expect(ticks(0).length).toBeGreaterThan(0);
});

test("percentiles are values that were measured", () => {
  const durations = [1, 2, 3, 4, 100];
  expect([50, 95, 99].map((p) => percentile(durations, p))).toEqual([3, 100, 100]);
  expect(percentile([], 50)).toBeUndefined();
});

test("a folded parent hides what is inside it, and nothing after it", () => {
  const spans = spansOf(
    {
      run: run("run_1", 0, 100),
      steps: [
        step(1, "model", 0, 10, { turn: 1 }),
        step(2, "helper", 10, 80, { call: "c1" }),
        step(3, "model", 80, 100, { turn: 2 }),
      ],
      helpers: [{ run: run("run_2", 12, 80, { call: "c1" }), steps: [step(1, "tool", 20, 70)], helpers: [] }],
    },
    0,
  );
  expect(unfolded(spans, new Set(["run_2"])).map((one) => one.id)).toEqual([
    "run_1",
    "run_1/1",
    "run_2",
    "run_1/3",
  ]);
  expect(unfolded(spans, new Set(["run_1"]))).toHaveLength(1);
  expect([...criticalPath(spans)].sort()).toEqual(["run_1/1", "run_1/3", "run_2/1"]);
});

test("zooming stays within the whole", () => {
  expect(zoom({ from: 0, to: 100 }, 0.5, 100)).toEqual({ from: 25, to: 75 });
  expect(zoom({ from: 0, to: 20 }, 2, 100)).toEqual({ from: 0, to: 40 });
  expect(zoom({ from: 80, to: 100 }, 20, 100)).toEqual({ from: 0, to: 100 });
});
