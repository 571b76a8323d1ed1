import { describe, expect, it } from "vitest";
import type { Run } from "@/api/types";
import { editText, parseValue } from "@/features/config/value";
import { suggestUser } from "@/features/identity/setup";
import { strength } from "@/lib/password";
import { dayAndTime, duration } from "@/lib/time";
import { safeNext } from "./login";
import { codeFromHash } from "./setup";
import { todayOf } from "./today";

describe("addresses", () => {
  it("reads the one-time code from the hash", () => {
    expect(codeFromHash("#code=ABCD-1234")).toBe("ABCD-1234");
    expect(codeFromHash("")).toBe("");
  });

  it("goes only to pages of this server after sign-in", () => {
    expect(safeNext("/settings/keys?create=true")).toBe("/settings/keys?create=true");
    expect(["//evil.test", "/\\evil.test", "https://evil.test", "/login", undefined].map(safeNext)).toEqual([
      "/",
      "/",
      "/",
      "/",
      "/",
    ]);
  });
});

describe("suggestions", () => {
  it("makes a user name of a first name", () => {
    expect(suggestUser("Mira Kessler")).toBe("mira");
    expect(suggestUser("Élodie")).toBe("elodie");
    expect(suggestUser("  ")).toBe("");
  });

  it("judges passwords by more than their length", () => {
    expect(strength("short").tooShort).toBe(true);
    expect(strength("aaaaaaaaaaaaaaaa").score).toBeLessThan(2);
    expect(strength("quiet harbour lamp 6am").score).toBeGreaterThan(2);
  });
});

describe("today", () => {
  const run = (state: string, start: string, end: string): Run => ({
    id: start,
    conversation: "c",
    user: "u",
    agent: "assistant",
    model: "demo",
    state,
    question: "",
    answer: "",
    attempt: 1,
    door: "chat",
    title: "",
    turns: 1,
    calls: 0,
    spent_micros: 0,
    created_at: start,
    started_at: start,
    finished_at: end,
  });

  it("counts since midnight of this device", () => {
    const now = new Date(2026, 10, 15, 12);
    const at = (hour: number, second = 0) => new Date(2026, 10, 15, hour, 0, second).toISOString();
    const before = new Date(2026, 10, 14, 23).toISOString();
    const facts = todayOf(
      [
        run("finished", at(1), at(1, 2)),
        run("finished", at(2), at(2, 8)),
        run("failed", at(3), at(3, 1)),
        run("finished", before, before),
      ],
      now,
    );
    expect(facts).toEqual({ runs: 3, working: 0, failed: 1, median: 8000, p95: 8000 });
  });
});

describe("settings", () => {
  it("edits each type in its own way", () => {
    expect(parseValue("yes or no", "true")).toEqual({ value: true });
    expect(parseValue("number", "7")).toEqual({ value: 7 });
    expect(parseValue("duration", "10m")).toEqual({ value: "10m" });
    expect(parseValue("list of texts", "a\n b \n\n")).toEqual({ value: ["a", "b"] });
    expect(parseValue("table of texts", '{"a":"b"}')).toEqual({ value: { a: "b" } });
    expect(parseValue("table of texts", "{")).toEqual({ problem: "json" });
  });

  it("never starts with a secret", () => {
    const secret = {
      key: "k",
      value: "••••",
      default: "",
      origin: { source: "env" },
      live: true,
      secret: true,
      type: "text",
      env: "K",
      doc: "",
    };
    expect(editText(secret)).toBe("");
  });
});

describe("durations", () => {
  it.each([
    [40, "40 ms"],
    [1500, "1.5 s"],
    [42_000, "42 s"],
    [720_000, "12 min"],
    [3_600_000 * 5, "5 h"],
    [86_400_000 * 3 + 3_600_000 * 4, "3 d 4 h"],
  ])("%d reads %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe("a time to come", () => {
  const now = new Date(2026, 10, 30, 23, 30).getTime();
  it.each([
    [new Date(2026, 10, 30, 23, 45), "23:45"],
    [new Date(2026, 11, 1, 0, 30), "tomorrow, 00:30"],
    [new Date(2026, 11, 1, 9), "tomorrow, 09:00"],
    [new Date(2026, 11, 2, 9), "Wed 2 Dec, 09:00"],
  ])("says its day unless that is today", (at, text) => {
    expect(dayAndTime(at.getTime(), now)).toBe(text);
  });
});
