import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import type { LiveEvent } from "@/api/types";
import { changeOf, changeText, perCall, priceText, sumText, unitText } from "./amount";
import { draftOf, readAmount, readDraft, readThresholds } from "./budget-draft";
import { applyCostsEvent } from "./live";
import { huesFor } from "./open";
import { outlookOf } from "./outlook";
import { dateId, momentOf, monthOf } from "./period";
import { type Budget, costKeys, type Forecast, type Point, type Sums } from "./queries";
import { linesOf } from "./rates";
import { sameDays, slotsOf } from "./series";
import { budgetsOf } from "./spend-chip";

const sums = (more: Partial<Sums> = {}): Sums => ({
  calls: 10,
  price: 2_000_000,
  unpriced: 0,
  estimated: 0,
  premium: 0,
  input: 100,
  cached: 50,
  output: 10,
  failed: 0,
  latency_us: 0,
  ...more,
});
const point = (at: Date, price: number): Point => ({ ...sums({ price }), at: at.toISOString() });
const budget: Budget = {
  id: "bdg_1",
  name: "All",
  scope: "workspace",
  period: "monthly",
  zone: "UTC",
  unit: "money",
  amount: 12_500_000,
  thresholds: [50, 80],
  at_limit: "ask",
  rollover: false,
  enabled: true,
  created_at: "2026-11-01T00:00:00Z",
  updated_at: "2026-11-01T00:00:00Z",
  current: { start: "2026-11-01T00:00:00Z" },
  limit: 12_500_000,
  carried: 0,
  granted: 0,
  spent: 1_000_000,
  reserved: 0,
  left: 11_500_000,
  percent: 8,
  calls: 3,
  unpriced: 0,
  blocked: 1,
};

describe("unknown prices", () => {
  it("never read as nothing", () => {
    expect(priceText({ price: null, unit: "money", premium: 0 })).toBe("no price");
    expect(priceText({ price: 0, unit: "money", premium: 0 })).toBe("$0.00");
    expect(sumText(sums({ price: 0, unpriced: 10 }))).toBe("no price");
    expect(sumText(sums({ price: 0 }))).toBe("$0.00");
    expect(sumText(sums({ unpriced: 4 }))).toBe("$2.00");
    expect(sumText(sums({ calls: 0, price: 0 }))).toBe("$0.00");
  });

  it("are left out of the mean", () => {
    expect(perCall(sums({ unpriced: 5 }))).toBe(400_000);
    expect(perCall(sums({ unpriced: 10 }))).toBeUndefined();
  });

  it("count premium requests as such", () => {
    expect(priceText({ price: null, unit: "premium", premium: 1500 })).toBe("1.50 premium requests");
    expect(unitText("premium", 300_000)).toBe("300 requests");
  });
});

describe("changes", () => {
  it("say how much more or less", () => {
    expect(changeOf(118, 100)).toBe(18);
    expect(changeOf(1, 0)).toBeUndefined();
    expect([18, -6, 0].map(changeText)).toEqual(["+18%", "−6%", "0%"]);
  });

  it("compare whole days with the same days before", () => {
    const month = monthOf("2026-11", new Date(2026, 10, 3, 12));
    const points = [
      point(new Date(2026, 9, 1), 1),
      point(new Date(2026, 9, 2), 2),
      point(new Date(2026, 9, 3), 100),
      point(new Date(2026, 10, 1), 4),
      point(new Date(2026, 10, 2), 5),
      point(new Date(2026, 10, 3), 100),
    ];
    expect(sameDays(points, month)).toEqual({ now: 9, before: 3 });
  });
});

describe("months and moments", () => {
  it("know their days and which is today", () => {
    const month = monthOf(undefined, new Date(2026, 10, 15, 5));
    expect([month.id, month.days.length, month.today]).toEqual(["2026-11", 30, 14]);
    expect(monthOf("2026-10", new Date(2026, 10, 15)).today).toBeUndefined();
    expect(monthOf("junk", new Date(2026, 1, 1)).days).toHaveLength(28);
  });

  it("a date means the whole day, a moment itself", () => {
    expect(momentOf("2026-11-11")).toBe(new Date(2026, 10, 11).toISOString());
    expect(momentOf("2026-11-11", true)).toBe(new Date(2026, 10, 12).toISOString());
    expect(momentOf("2026-11-11T05:00:00Z", true)).toBe("2026-11-11T05:00:00.000Z");
    expect(momentOf("soon")).toBeUndefined();
    expect(dateId(new Date(2026, 0, 5))).toBe("2026-01-05");
  });
});

describe("series", () => {
  it("leave what has no name to the rest", () => {
    const day = new Date(2026, 10, 1);
    const slots = slotsOf([day], [point(day, 10)], [{ name: "code", points: [point(day, 7)] }]);
    expect(slots).toEqual([{ parts: [7, 3] }]);
  });

  it("give agents their own hue and nobody the same", () => {
    const hues = huesFor("agent", ["code", "x", "y", "z"], { code: "azure" });
    expect(hues[0]).toBe("h-azure");
    expect(new Set(hues).size).toBe(4);
    expect(new Set(huesFor("model", ["a", "b", "c", "d", "e", "f", "g"], {})).size).toBe(7);
  });
});

it("the end of the month is what was spent, what is left of today, and the days after", () => {
  const month = monthOf("2026-11", new Date(2026, 10, 29, 12));
  const days = [29, 30, 31].map((day) => ({
    at: new Date(2026, 10, day).toISOString(),
    price: 10,
    low_80: 8,
    high_80: 13,
    low_95: 0,
    high_95: 0,
  }));
  const forecast: Forecast = {
    method: "ensemble",
    history: 40,
    days,
    total: { price: 20, low_80: 15, high_80: 27, low_95: 0, high_95: 0 },
    errors: [],
  };
  const outlook = outlookOf(forecast, month, 100, 4);
  expect(outlook?.end).toEqual({ price: 116, low: 111, high: 123 });
  expect(outlook?.days.size).toBe(1);
  expect(outlookOf(forecast, monthOf("2026-10", new Date(2026, 10, 29)), 100, 4)).toBeUndefined();
});

describe("the form of a budget", () => {
  it("reads amounts in the unit of the budget", () => {
    expect(readAmount("12.50", "money")).toBe(12_500_000);
    expect(readAmount("300", "premium")).toBe(300_000);
    expect(readAmount("0", "money")).toBeUndefined();
  });

  it("reads percentages in any order, each once", () => {
    expect(readThresholds("95%, 50 80,50")).toEqual([50, 80, 95]);
    expect(readThresholds("")).toEqual([]);
    expect(readThresholds("50, 120")).toBeUndefined();
    expect(readThresholds("half")).toBeUndefined();
  });

  it("says what is missing", () => {
    const { problems, body } = readDraft({ ...draftOf(undefined), scope: "agent", thresholds: "x" });
    expect(Object.keys(problems).sort()).toEqual(["amount", "scopeId", "thresholds"]);
    expect(body).toBeUndefined();
  });

  it("sends only what changed", () => {
    const draft = draftOf(budget);
    expect(draft.amount).toBe("12.5");
    expect(readDraft(draft, budget).change).toEqual({});
    expect(readDraft({ ...draft, amount: "20", atLimit: "block" }, budget).change).toEqual({
      amount: 20_000_000,
      at_limit: "block",
    });
  });
});

it("models in use without a price come first, also when nobody lists them", () => {
  const share = (name: string, more: Partial<Sums>) => ({ ...sums(more), name, percent: 0 });
  const lines = linesOf(
    [{ id: "openai/gpt-5.2", provider: "openai", default: false, can: [], price: { input: 1 } }],
    [share("gpt-5.2", {}), share("mystery", { price: 0, unpriced: 10 })],
  );
  expect(lines.map((line) => [line.id, line.used?.unpriced])).toEqual([
    ["mystery", 10],
    ["openai/gpt-5.2", 0],
  ]);
});

describe("live news", () => {
  const now = Date.parse("2026-11-15T12:00:00Z");
  const event = (kind: string, data: Record<string, unknown>): LiveEvent => ({
    channel: "costs",
    kind,
    at: new Date(now).toISOString(),
    data,
  });

  it("are added to sums that are still open and to no others", () => {
    const cache = new QueryClient();
    const open = costKeys.totals({ since: "2026-11-15T00:00:00Z" });
    const over = costKeys.totals({ since: "2026-10-01T00:00:00Z", until: "2026-11-01T00:00:00Z" });
    const narrow = costKeys.totals({ agent: "code" });
    for (const key of [open, over, narrow]) cache.setQueryData(key, sums());
    cache.setQueryData(costKeys.trend("day", {}), {
      data: [point(new Date(0), 1), point(new Date(1), 2)],
      has_more: false,
    });
    applyCostsEvent(
      cache,
      event("costs.updated", { calls: 2, price: 500_000, premium: 0, unpriced: 1, tokens: 9 }),
      now,
    );
    expect(cache.getQueryData<Sums>(open)).toMatchObject({ calls: 12, price: 2_500_000, unpriced: 1 });
    expect(cache.getQueryData<Sums>(over)).toEqual(sums());
    expect(cache.getQueryData<Sums>(narrow)).toEqual(sums());
    expect(cache.getQueryState(narrow)?.isInvalidated).toBe(true);
    const trend = cache.getQueryData<{ data: Point[] }>(costKeys.trend("day", {}));
    expect(trend?.data.map((one) => one.price)).toEqual([1, 500_002]);
  });

  it("patch the budget they are about", () => {
    const cache = new QueryClient();
    cache.setQueryData(costKeys.budgets(), { data: [budget, { ...budget, id: "bdg_2" }], has_more: false });
    const fact = { budget: "bdg_1", limit: 12_500_000, spent: 12_500_000, requests: 2 };
    applyCostsEvent(cache, event("costs.request_blocked", fact), now);
    const page = cache.getQueryData<{ data: Budget[] }>(costKeys.budgets());
    expect(page?.data.map(({ percent, left, blocked }) => [percent, left, blocked])).toEqual([
      [100, 0, 3],
      [8, 11_500_000, 1],
    ]);
  });
});

describe("the budgets that count a chat", () => {
  it("are those of the workspace, of who asks and of who answers, the one with the least left first", () => {
    const one = (id: string, more: Partial<Budget>): Budget => ({ ...budget, id, ...more });
    const all = [
      one("workspace", { left: 9 }),
      one("mine", { scope: "user", scope_id: "usr_1", left: 3 }),
      one("another's", { scope: "user", scope_id: "usr_2", left: 1 }),
      one("the agent's", { scope: "agent", scope_id: "code", left: 5 }),
      one("off", { enabled: false, left: 0 }),
      one("premium", { unit: "premium", left: 0 }),
      one("a project's", { scope: "project", scope_id: "prj_1", left: 0 }),
    ];
    expect(budgetsOf(all, { user: "usr_1", agent: "code" }).map(({ id }) => id)).toEqual([
      "mine",
      "the agent's",
      "workspace",
    ]);
  });
});
