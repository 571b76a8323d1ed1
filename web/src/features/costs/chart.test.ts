import { describe, expect, it } from "vitest";
import { type Box, fan, labelled, layoutBars, layoutSum, scaleOf, sparkline } from "./chart";

const box: Box = { width: 740, height: 214, left: 40, right: 2, top: 27, bottom: 20 };

describe("scales", () => {
  it("end at or above the most, on round marks", () => {
    expect(scaleOf(16_400_000, 3)).toEqual([0, 6e6, 12e6, 18e6]);
    expect(scaleOf(400e6, 4)).toEqual([0, 100e6, 200e6, 300e6, 400e6]);
    expect(scaleOf(0, 3)).toEqual([0, 1e6]);
  });

  it.each([1, 7, 990, 12_345, 5e6, 7.77e9])("hold %d", (most) => {
    const marks = scaleOf(most, 3);
    expect(marks.at(-1)).toBeGreaterThanOrEqual(most);
    expect(marks.length).toBeLessThanOrEqual(5);
  });
});

describe("bars", () => {
  const slots = [
    { parts: [3e6, 2e6, 0] },
    { parts: [0, 0, 1e6] },
    { parts: [0, 0, 0], guess: { price: 4e6, low: 3e6, high: 6e6 } },
  ];
  const { bars, ticks, base, limitY } = layoutBars(slots, box, 5e6);

  it("stack without overlapping, from the axis up", () => {
    const [first] = bars;
    expect(first?.segments.map((segment) => segment.series)).toEqual([0, 1]);
    const [low, high] = first?.segments ?? [];
    expect((low?.y ?? 0) + (low?.height ?? 0)).toBeLessThanOrEqual(base);
    expect((high?.y ?? 0) + (high?.height ?? 0)).toBeLessThanOrEqual(low?.y ?? 0);
  });

  it("keep inside the box and beside each other", () => {
    for (const [i, bar] of bars.entries()) {
      expect(bar.x).toBeGreaterThanOrEqual(box.left);
      expect(bar.x + bar.width).toBeLessThanOrEqual(box.width);
      expect(bar.y).toBeGreaterThanOrEqual(box.top);
      if (i > 0) expect(bar.x).toBeGreaterThan((bars[i - 1]?.x ?? 0) + (bars[i - 1]?.width ?? 0));
    }
  });

  it("show what is expected with its range", () => {
    const guess = bars[2]?.guess;
    expect(guess?.high).toBeLessThan(guess?.y ?? 0);
    expect(guess?.low).toBeGreaterThan(guess?.y ?? 0);
    expect((guess?.y ?? 0) + (guess?.height ?? 0)).toBeCloseTo(base);
  });

  it("draw the limit at its value", () => {
    const top = ticks.at(-1);
    expect(limitY).toBeCloseTo(base - (5e6 / (top?.value ?? 1)) * (base - box.top));
  });

  it("survive nothing at all and the narrowest phone", () => {
    expect(layoutBars([], box).bars).toEqual([]);
    const narrow = layoutBars(Array(31).fill({ parts: [0] }), { ...box, width: 280 });
    expect(narrow.bars.every((bar) => Number.isFinite(bar.x) && bar.width > 0)).toBe(true);
  });
});

describe("labels", () => {
  it("name the first, the last and round days between", () => {
    expect(labelled(30, 24, 28)).toEqual([0, 4, 9, 14, 19, 24, 29]);
    expect(labelled(31, 24, 28)).toEqual([0, 4, 9, 14, 19, 24, 30]);
    expect(labelled(1, 24, 28)).toEqual([0]);
    expect(labelled(0, 24, 28)).toEqual([]);
  });
});

describe("the sum of a month", () => {
  it("goes on from what was spent to what is expected", () => {
    const end = { price: 30e6, low: 25e6, high: 40e6 };
    const chart = layoutSum([5e6, 5e6], { days: [10e6, 10e6], end }, 4, box, 50e6);
    expect(chart.line.split(" ")).toHaveLength(3);
    expect(chart.expected.split(" ")).toHaveLength(3);
    expect(chart.expected.split(" ")[0]).toBe(chart.line.split(" ").at(-1));
    expect(chart.limitY).toBeLessThan(chart.now?.y ?? 0);
  });

  it("opens its range up to that of the end, never under what is spent", () => {
    const end = { price: 30e6, low: 8e6, high: 40e6 };
    const path = fan(10e6, [10e6, 10e6], end);
    expect(path.at(-1)).toEqual({ price: 30e6, low: 10e6, high: 40e6 });
    expect(path[0]?.high).toBeLessThan(path[1]?.high ?? 0);
  });

  it("has no dashed part when the month is over", () => {
    expect(layoutSum([1e6], undefined, 1, box).expected).toBe("");
  });
});

it("small lines stay in their box", () => {
  for (const point of sparkline([0, 5, 3], 52, 18).split(" ")) {
    const [x, y] = point.split(",").map(Number);
    expect(x).toBeLessThanOrEqual(52);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(18);
  }
});
