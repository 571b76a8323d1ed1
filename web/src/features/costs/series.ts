import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Guess, Slot } from "./chart";
import type { Month } from "./period";
import {
  type By,
  breakdownQuery,
  type Filter,
  type Point,
  type Share,
  type Step,
  trendQuery,
} from "./queries";

/** How many series have colours of their own; the rest is one. */
export const shownSeries = 7;

/** One line of a chart: a name, and what it cost at each moment. */
export type Series = { name: string; points: readonly Point[] | undefined };

/** The dearest of a kind, each with its own trend. Calls without a name cannot be asked for, so they are in the rest. */
export function useSeries(
  by: By,
  step: Step,
  window: Filter,
  shares: readonly Share[] | undefined,
): Series[] {
  const names = useMemo(
    () =>
      (shares ?? [])
        .map((share) => share.name)
        .filter(Boolean)
        .slice(0, shownSeries),
    [shares],
  );
  const trends = useQueries({ queries: names.map((name) => trendQuery(step, { ...window, [by]: name })) });
  return names.map((name, i) => ({ name, points: trends[i]?.data?.data }));
}

/** Which models each of the dearest used. */
export function useMixes(by: By, names: readonly string[], window: Filter): (readonly Share[] | undefined)[] {
  const wanted = by === "model" || by === "provider" ? [] : names;
  const answers = useQueries({
    queries: wanted.map((name) => breakdownQuery("model", { ...window, [by]: name }, 5)),
  });
  return names.map((_, i) => answers[i]?.data?.data);
}

export function useTotalTrend(step: Step, window: Filter) {
  return useQuery(trendQuery(step, window));
}

/** What each series cost at each moment, then what is left of the total. */
export function slotsOf(
  moments: readonly Date[],
  total: readonly Point[],
  series: readonly Series[],
  guesses?: ReadonlyMap<number, Guess>,
): Slot[] {
  const prices = (points: readonly Point[] | undefined) =>
    new Map(points?.map((point) => [Date.parse(point.at), point.price]));
  const all = prices(total);
  const each = series.map((one) => prices(one.points));
  return moments.map((moment) => {
    const at = moment.getTime();
    const parts = each.map((one) => one.get(at) ?? 0);
    const rest = Math.max(0, (all.get(at) ?? 0) - parts.reduce((a, b) => a + b, 0));
    const guess = guesses?.get(at);
    return { parts: [...parts, rest], ...(guess ? { guess } : {}) };
  });
}

/** What whole days cost until today, in this month and on the same days of the one before. */
export function sameDays(points: readonly Point[], month: Month): { now: number; before: number } {
  const days = month.today ?? month.days.length;
  const until = month.days[days]?.getTime() ?? month.end.getTime();
  const before = new Date(month.before.getFullYear(), month.before.getMonth(), days + 1);
  const between = (from: number, to: number) =>
    points.reduce((sum, { at, price }) => {
      const moment = Date.parse(at);
      return moment >= from && moment < to ? sum + price : sum;
    }, 0);
  return {
    now: between(month.start.getTime(), until),
    before: between(month.before.getTime(), Math.min(before.getTime(), month.start.getTime())),
  };
}

/** The last week of a series, for a small line. */
export const lastWeek = (points: readonly Point[] | undefined): number[] =>
  (points ?? []).slice(-7).map((point) => point.price);
