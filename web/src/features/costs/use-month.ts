import { useQuery } from "@tanstack/react-query";
import { outlookOf } from "./outlook";
import type { Month } from "./period";
import {
  type Budget,
  budgetsQuery,
  burnQuery,
  type Filter,
  forecastQuery,
  todayQuery,
  totalsQuery,
  trendQuery,
} from "./queries";

/** From the start of the month to its end, or to now while it lasts. */
export const windowOf = (month: Month): Filter =>
  month.today === undefined
    ? { since: month.start.toISOString(), until: month.end.toISOString() }
    : { since: month.start.toISOString() };

/** The month with the one before it, for comparing. */
export const wideWindowOf = (month: Month): Filter => ({
  ...windowOf(month),
  since: month.before.toISOString(),
});

/** The same span of the month before. */
function windowBefore(month: Month, now: Date): Filter {
  const length = month.today === undefined ? Number.POSITIVE_INFINITY : now.getTime() - month.start.getTime();
  // To the hour, so that the answer can be kept for a while.
  const until = Math.min(
    month.start.getTime(),
    Math.ceil((month.before.getTime() + length) / 3_600_000) * 3_600_000,
  );
  return { since: month.before.toISOString(), until: new Date(until).toISOString() };
}

/** The budget that limits everything for this period; the tightest if there are several. */
export function wholeBudget(budgets: readonly Budget[] | undefined, period: string): Budget | undefined {
  return budgets
    ?.filter(
      (one) => one.enabled && one.scope === "workspace" && one.unit === "money" && one.period === period,
    )
    .sort((a, b) => a.limit - b.limit)[0];
}

/** A forecast needs seven whole days; the first one may be a part of a day. */
const enoughHistory = 8 * 86_400_000;

/** Everything the overview says about one month. */
export function useMonth(month: Month, now: Date) {
  const running = month.today !== undefined;
  const totals = useQuery(totalsQuery(windowOf(month)));
  const before = useQuery(totalsQuery(windowBefore(month, now)));
  const today = useQuery({ ...todayQuery(now), enabled: running });
  const burn = useQuery({ ...burnQuery, enabled: running });
  const trend = useQuery(trendQuery("day", wideWindowOf(month)));
  const ahead = running ? month.days.length - (month.today ?? 0) : 1;
  const first = trend.data?.data.find((point) => point.calls > 0);
  // Asked only when it can be answered: a browser writes every refusal to its console.
  const young = trend.data !== undefined && (!first || now.getTime() - Date.parse(first.at) < enoughHistory);
  const forecast = useQuery({
    ...forecastQuery(ahead),
    enabled: running && trend.data !== undefined && !young,
  });
  const budgets = useQuery(budgetsQuery);
  const outlook =
    forecast.data && totals.data
      ? outlookOf(forecast.data, month, totals.data.price, today.data?.price ?? 0)
      : undefined;
  return { totals, before, today, burn, trend, forecast, young, budgets, outlook };
}

export type MonthData = ReturnType<typeof useMonth>;
