import { expect, test } from "vitest";
import type { Run } from "@/api/types";
import { align, differs } from "./align";
import type { Span } from "./spans";
import { histogram, percentile, readTook, slowerThan } from "./spread";

const span = (name: string, more: Partial<Span> = {}): Span => ({
  id: name,
  depth: 1,
  kind: "tool",
  name,
  note: "",
  agent: "a",
  start: 0,
  end: 1,
  state: "done",
  run: {} as Run,
  parent: false,
  ...more,
});

const names = (left: string, right: string) =>
  align(
    [...left].map((name) => span(name)),
    [...right].map((name) => span(name)),
  ).map((pair) => `${pair.left?.name ?? "-"}${pair.right?.name ?? "-"}`);

test.each([
  ["abc", "abc", ["aa", "bb", "cc"]],
  ["abc", "ac", ["aa", "b-", "cc"]],
  ["ac", "abc", ["aa", "-b", "cc"]],
  ["ab", "cd", ["a-", "b-", "-c", "-d"]],
  ["", "a", ["-a"]],
])("%s beside %s", (left, right, want) => {
  expect(names(left, right)).toEqual(want);
});

test("a line differs by its state, what went in, what came out, or a missing side", () => {
  const a = span("a");
  expect(differs({ left: a, right: a })).toBe(false);
  expect(differs({ left: a })).toBe(true);
  expect(differs({ left: a, right: span("a", { state: "failed" }) })).toBe(true);
  const step = {
    run: "r",
    seq: 1,
    kind: "tool",
    name: "a",
    state: "finished" as const,
    output: { text: "x" },
  };
  expect(differs({ left: a, right: span("a", { step }) })).toBe(true);
});

test("bins hold every duration once", () => {
  const durations = [4, 40, 41, 900, 1200, 15_000];
  const bins = histogram(durations);
  expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(durations.length);
  expect(bins[0]?.from).toBe(0);
  expect(histogram([])).toEqual([]);
  expect(histogram([7, 7, 7]).reduce((sum, bin) => sum + bin.count, 0)).toBe(3);
});

test("where a run stands", () => {
  expect(slowerThan([1, 2, 3, 4], 4)).toBe(75);
  expect(percentile([1, 2, 3, 4], 50)).toBe(2);
  expect(readTook("10-250")).toEqual({ from: 10, to: 250 });
  expect(readTook("fast")).toBeUndefined();
});
