import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";

export type Step = components["schemas"]["Step"];
export type TraceState = "queued" | "running" | "waiting" | "finished" | "failed" | "cancelled";

/** What narrows the list; it lives in the address. */
export type TraceFilter = { state?: TraceState; agent?: string; search?: string };

const keys = {
  // Under the lists of runs, so that the live events of runs reach them.
  list: (filter: TraceFilter) => ["runs", "traces", filter] as const,
  one: (run: string) => ["runs", "trace", run] as const,
  steps: (run: string) => ["runs", "trace", run, "steps"] as const,
  helpers: (run: string) => ["runs", "trace", run, "helpers"] as const,
};

export const tracesQuery = (filter: TraceFilter) =>
  infiniteQueryOptions({
    queryKey: keys.list(filter),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      call(
        client.GET("/api/v1/runs", {
          params: { query: { limit: 50, ...filter, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    getNextPageParam: (page) => (page.has_more ? page.next_cursor : undefined),
    refetchInterval: 15_000,
  });

export const traceQuery = (run: string) =>
  queryOptions({
    queryKey: keys.one(run),
    queryFn: ({ signal }) => call(client.GET("/api/v1/runs/{run}", { params: { path: { run } }, signal })),
  });

export const stepsQuery = (run: string) =>
  queryOptions({
    queryKey: keys.steps(run),
    queryFn: ({ signal }) =>
      call(
        client.GET("/api/v1/runs/{run}/steps", { params: { path: { run }, query: { limit: 500 } }, signal }),
      ),
  });

export const traceHelpersQuery = (run: string) =>
  queryOptions({
    queryKey: keys.helpers(run),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/runs/{run}/helpers", { params: { path: { run } }, signal })),
  });

/** Asks the same question again. */
export function useReplay() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (run: string) =>
      call(client.POST("/api/v1/runs/{run}/replay", { params: { path: { run } }, body: {} })),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["runs"] }),
  });
}
