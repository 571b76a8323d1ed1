import { describe, expect, it } from "vitest";
import { backoff, Tracker } from "./tracker";

describe("Tracker", () => {
  it("delivers events in order and resumes after the last one", () => {
    const tracker = new Tracker();
    expect([5, 6, 9].map((cursor) => tracker.accept(cursor))).toEqual(["deliver", "deliver", "deliver"]);
    expect(tracker.after).toBe(9);
  });

  it("drops an event it has seen", () => {
    const tracker = new Tracker();
    tracker.accept(5);
    expect(tracker.accept(5)).toBe("duplicate");
  });

  it("delivers a late event once and does not go back for it", () => {
    const tracker = new Tracker();
    tracker.accept(5);
    tracker.accept(8);
    expect(tracker.accept(7)).toBe("late");
    expect(tracker.accept(7)).toBe("duplicate");
    expect(tracker.after).toBe(8);
  });

  it("lets deltas without a cursor pass without moving", () => {
    const tracker = new Tracker();
    tracker.accept(5);
    expect(tracker.accept(undefined)).toBe("deliver");
    expect(tracker.after).toBe(5);
  });

  it("takes the head of the log as its start when it asked for nothing older", () => {
    const tracker = new Tracker();
    expect(tracker.started(40, undefined)).toBe("fresh");
    expect(tracker.after).toBe(40);
  });

  it("calls everything stale when the log is shorter than what it has read", () => {
    const tracker = new Tracker();
    tracker.accept(90);
    expect(tracker.started(12, 90)).toBe("stale");
    expect(tracker.after).toBe(12);
    expect(tracker.accept(13)).toBe("deliver");
  });

  it("forgets old cursors but still knows them as duplicates", () => {
    const tracker = new Tracker(8);
    for (let cursor = 1; cursor <= 40; cursor++) tracker.accept(cursor);
    expect(tracker.accept(3)).toBe("duplicate");
    expect(tracker.accept(40)).toBe("duplicate");
    expect(tracker.accept(41)).toBe("deliver");
  });
});

describe("backoff", () => {
  it("doubles up to 15 s and spreads the second half", () => {
    expect(backoff(1, () => 0)).toBe(125);
    expect(backoff(1, () => 1)).toBe(250);
    expect(backoff(4, () => 1)).toBe(2000);
    expect(backoff(50, () => 1)).toBe(15_000);
    expect(backoff(50, () => 0)).toBe(7500);
  });
});
