import type { Query, QueryClient } from "@tanstack/react-query";
import { renew, takeOnce } from "@/api/news";
import type { LiveEvent } from "@/api/types";
import { type Budget, type Burn, costKeys, type Filter, type Point, type Sums } from "./queries";

type Delta = { calls: number; price: number; premium: number; unpriced: number };
type Limit = { budget: string; limit: number; spent: number; requests?: number };
type List<T> = { data: T[]; has_more: boolean };

/** Adds what is said on the channel of costs to what is shown; what cannot be added is marked old. */
export function applyCostsEvent(cache: QueryClient, event: LiveEvent, now = Date.now()): void {
  switch (event.kind) {
    case "costs.updated":
      addUp(cache, event.data as Delta, now);
      break;
    case "costs.budget_warned":
    case "costs.budget_exceeded":
    case "costs.request_blocked":
      patchBudget(cache, event.data as Limit);
      break;
    case "costs.budget_created":
    case "costs.budget_changed":
    case "costs.budget_deleted":
      renew(cache, { queryKey: costKeys.budgets() });
  }
}

/** True for what counts everything up to now. */
function isOpen(query: Query, now: number): boolean {
  const { since, until, ...rest } = (query.queryKey[2] ?? {}) as Filter;
  const begun = !since || Date.parse(since) <= now;
  return begun && (!until || Date.parse(until) > now) && Object.keys(rest).length === 0;
}

function addUp(cache: QueryClient, delta: Delta, now: number): void {
  const added = <T extends Sums>(sums: T): T => ({
    ...sums,
    calls: sums.calls + delta.calls,
    price: sums.price + delta.price,
    premium: sums.premium + delta.premium,
    unpriced: sums.unpriced + delta.unpriced,
  });
  const predicate = (query: Query) => isOpen(query, now);
  takeOnce<Sums>(cache, { queryKey: ["costs", "totals"], predicate }, added);
  takeOnce<List<Point>>(cache, { queryKey: ["costs", "trend"], predicate }, (page) => ({
    ...page,
    data: page.data.map((one, i) => (i === page.data.length - 1 ? added(one) : one)),
  }));
  takeOnce<Burn>(cache, { queryKey: costKeys.burn() }, (burn) => ({
    ...burn,
    last_hour: burn.last_hour + delta.price,
    last_day: burn.last_day + delta.price,
    last_week: burn.last_week + delta.price,
    month_spent: burn.month_spent + delta.price,
    unpriced: burn.unpriced + delta.unpriced,
  }));
  void cache.invalidateQueries({
    queryKey: costKeys.all,
    predicate: (query) => {
      const kind = query.queryKey[1];
      if (kind === "breakdown" || kind === "records" || kind === "projection" || kind === "budgets")
        return true;
      return (kind === "totals" || kind === "trend") && !isOpen(query, now);
    },
    refetchType: "none",
  });
}

function at(budget: Budget, spent: number, limit = budget.limit): Budget {
  return {
    ...budget,
    spent,
    limit,
    left: limit - spent - budget.reserved,
    percent: Math.floor((spent * 100) / Math.max(limit, 1)),
  };
}

function patchBudget(cache: QueryClient, fact: Limit): void {
  takeOnce<List<Budget>>(cache, { queryKey: costKeys.budgets(), exact: true }, (page) => ({
    ...page,
    data: page.data.map((budget) =>
      budget.id === fact.budget
        ? { ...at(budget, fact.spent, fact.limit), blocked: budget.blocked + (fact.requests ?? 0) }
        : budget,
    ),
  }));
}
