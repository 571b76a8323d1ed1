import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { call, client } from "@/api/client";
import { isCode } from "@/api/errors";
import type { components } from "@/api/schema";
import { startOfDay, zone } from "./period";

type Schemas = components["schemas"];
export type Sums = Schemas["Sums"];
export type Share = Schemas["Share"];
export type Point = Schemas["Point"];
export type Burn = Schemas["Burn"];
export type Forecast = Schemas["Forecast"];
export type Advice = Schemas["Advice"];
export type Budget = Schemas["BudgetStatus"];
export type Projection = Schemas["Projection"];
/** One attempt to reach a model. The price is null while it is not known. */
export type CostRecord = Omit<Schemas["Record"], "price"> & { price: number | null };
export type Rate = Schemas["Model"];
export type NewBudget = Schemas["BudgetRequest"];
export type BudgetChange = Schemas["BudgetChangeRequest"];

/** What narrows what is read. */
export type Filter = {
  since?: string;
  until?: string;
  user?: string;
  key?: string;
  agent?: string;
  run?: string;
  conversation?: string;
  project?: string;
  workflow?: string;
  door?: string;
  model?: string;
  provider?: string;
  outcome?: string;
};

/** What spend is broken down by. */
export type By = "agent" | "model" | "provider" | "user" | "key" | "door";
export type Step = "day" | "hour";

export const costKeys = {
  all: ["costs"] as const,
  totals: (filter: Filter) => ["costs", "totals", filter] as const,
  trend: (step: Step, filter: Filter) => ["costs", "trend", filter, step] as const,
  breakdown: (by: By, filter: Filter, limit: number) => ["costs", "breakdown", filter, by, limit] as const,
  burn: () => ["costs", "burn"] as const,
  forecast: (days: number) => ["costs", "forecast", days] as const,
  advice: () => ["costs", "advice"] as const,
  budgets: () => ["costs", "budgets"] as const,
  projection: (id: string) => ["costs", "projection", id] as const,
  records: (filter: Filter) => ["costs", "records", filter] as const,
  record: (id: string) => ["costs", "record", id] as const,
  rates: () => ["costs", "rates"] as const,
};

/** Lists that live news made old are read again a little later, not with every call somebody makes. */
const calm = {
  refetchInterval: (query: { state: { isInvalidated: boolean } }) =>
    query.state.isInvalidated ? (10_000 as const) : (false as const),
};

export const totalsQuery = (filter: Filter) =>
  queryOptions({
    queryKey: costKeys.totals(filter),
    queryFn: ({ signal }) => call(client.GET("/api/v1/costs/totals", { params: { query: filter }, signal })),
    ...calm,
  });

/** What was spent since midnight of this device. */
export const todayQuery = (now = new Date()) => totalsQuery({ since: startOfDay(now).toISOString() });

export const trendQuery = (step: Step, filter: Filter) =>
  queryOptions({
    queryKey: costKeys.trend(step, filter),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/costs/trend", { params: { query: { ...filter, step, zone } }, signal })),
    ...calm,
  });

export const breakdownQuery = (by: By, filter: Filter, limit = 100) =>
  queryOptions({
    queryKey: costKeys.breakdown(by, filter, limit),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/costs/breakdown", { params: { query: { ...filter, by, limit } }, signal })),
    placeholderData: keepPreviousData,
    ...calm,
  });

export const burnQuery = queryOptions({
  queryKey: costKeys.burn(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/costs/burn", { params: { query: { zone } }, signal })),
});

/** Null while there are too few days to say anything. */
export const forecastQuery = (days: number) =>
  queryOptions({
    queryKey: costKeys.forecast(days),
    queryFn: async ({ signal }): Promise<Forecast | null> => {
      try {
        const query = { days, zone };
        return await call(client.GET("/api/v1/costs/forecast", { params: { query }, signal }));
      } catch (error) {
        if (isCode(error, "too_little_history")) return null;
        throw error;
      }
    },
    staleTime: 300_000,
  });

export const adviceQuery = queryOptions({
  queryKey: costKeys.advice(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/costs/advice", { signal })),
  staleTime: 300_000,
});

export const budgetsQuery = queryOptions({
  queryKey: costKeys.budgets(),
  queryFn: ({ signal }) =>
    call(client.GET("/api/v1/costs/budgets", { params: { query: { limit: 500 } }, signal })),
  ...calm,
});

export const projectionQuery = (budget: string) =>
  queryOptions({
    queryKey: costKeys.projection(budget),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/costs/budgets/{budget}/projection", { params: { path: { budget } }, signal })),
    ...calm,
  });

export const recordsQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: costKeys.records(filter),
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...filter, limit: 100, ...(pageParam ? { cursor: pageParam } : {}) };
      const page = await call(client.GET("/api/v1/costs/records", { params: { query }, signal }));
      return { ...page, data: page.data as CostRecord[] };
    },
    getNextPageParam: (page) => (page.has_more ? page.next_cursor : undefined),
    placeholderData: keepPreviousData,
    ...calm,
  });

export const recordQuery = (record: string) =>
  queryOptions({
    queryKey: costKeys.record(record),
    queryFn: async ({ signal }) =>
      (await call(
        client.GET("/api/v1/costs/records/{record}", { params: { path: { record } }, signal }),
      )) as CostRecord,
  });

/** Every model that can be asked for, with its price. */
export const ratesQuery = queryOptions({
  queryKey: costKeys.rates(),
  queryFn: async ({ signal }): Promise<Rate[]> => {
    const all: Rate[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: 500, ...(cursor ? { cursor } : {}) };
      const page = await call(client.GET("/api/v1/models", { params: { query }, signal }));
      all.push(...page.data);
      cursor = page.has_more ? page.next_cursor : undefined;
    } while (cursor);
    return all;
  },
  staleTime: 300_000,
});

/** Where the records of a filter can be had as a file. */
export function exportUrl(filter: Filter, format: "csv" | "jsonl"): string {
  return `/api/v1/costs/export?${new URLSearchParams({ ...filter, format })}`;
}

function useBudgetChange<In>(change: (input: In) => Promise<unknown>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: costKeys.budgets() }),
        cache.invalidateQueries({ queryKey: ["costs", "projection"] }),
      ]),
  });
}

export const useCreateBudget = () =>
  useBudgetChange((body: NewBudget) => call(client.POST("/api/v1/costs/budgets", { body })));

export const useChangeBudget = () =>
  useBudgetChange(({ id, ...body }: BudgetChange & { id: string }) =>
    call(client.PATCH("/api/v1/costs/budgets/{budget}", { params: { path: { budget: id } }, body })),
  );

export const useDeleteBudget = () =>
  useBudgetChange((budget: string) =>
    call(client.DELETE("/api/v1/costs/budgets/{budget}", { params: { path: { budget } } })),
  );

export const useGrant = () =>
  useBudgetChange(({ id, amount }: { id: string; amount: number }) =>
    call(
      client.POST("/api/v1/costs/budgets/{budget}/grant", {
        params: { path: { budget: id } },
        body: { amount },
      }),
    ),
  );
