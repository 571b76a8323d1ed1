import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from "@tanstack/react-query";
import { useChange } from "@/api/change";
import { call, client } from "@/api/client";
import { renew, take } from "@/api/news";
import type { components } from "@/api/schema";
import type { LiveEvent, Page, Run } from "@/api/types";

export type Step = components["schemas"]["Step"];
export type TraceState = "queued" | "running" | "waiting" | "finished" | "failed" | "cancelled";

/** What narrows the list; it lives in the address. */
export type TraceFilter = {
  state?: TraceState;
  agent?: string;
  search?: string;
  /** Only runs that took so long, as milliseconds from-to; of the runs that are loaded. */
  took?: string;
};

const keys = {
  all: ["runs"] as const,
  lists: () => ["runs", "traces"] as const,
  list: (filter: TraceFilter) => ["runs", "traces", filter] as const,
  one: (run: string) => ["runs", "trace", run] as const,
  steps: (run: string) => ["runs", "trace", run, "steps"] as const,
  helpers: (run: string) => ["runs", "trace", run, "helpers"] as const,
};

export const tracesQuery = ({ took: _, ...filter }: TraceFilter) =>
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
  });

const moves: Record<string, TraceState> = {
  "runs.started": "running",
  "runs.waiting": "waiting",
  "runs.finished": "finished",
  "runs.failed": "failed",
  "runs.cancelled": "cancelled",
};

/** Takes what happens to runs into the lists; one that is new, or over with its numbers, is read. */
export function applyTraceEvent(cache: QueryClient, event: LiveEvent): void {
  const id = event.data.run;
  if (!event.kind.startsWith("runs.") || typeof id !== "string") return;
  const state = moves[event.kind];
  if (state === "running" || state === "waiting") {
    const move = (run: Run): Run =>
      run.id === id ? { ...run, state, started_at: run.started_at ?? event.at } : run;
    take<InfiniteData<Page<Run>>>(cache, { queryKey: keys.lists() }, (data) => ({
      ...data,
      pages: data.pages.map((page) => ({ ...page, data: page.data.map(move) })),
    }));
  } else if (state || event.kind === "runs.queued") {
    renew(cache, { queryKey: keys.lists() });
  }
}

export const traceQuery = (run: string) =>
  queryOptions({
    queryKey: keys.one(run),
    queryFn: ({ signal }) => call(client.GET("/api/v1/runs/{run}", { params: { path: { run } }, signal })),
  });

/** Every step of a run, in as many pages as there are. */
export const stepsQuery = (run: string) =>
  queryOptions({
    queryKey: keys.steps(run),
    queryFn: async ({ signal }) => {
      const all: Step[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: 500, ...(cursor ? { cursor } : {}) };
        const page = await call(
          client.GET("/api/v1/runs/{run}/steps", { params: { path: { run }, query }, signal }),
        );
        all.push(...page.data);
        cursor = page.has_more ? page.next_cursor : undefined;
      } while (cursor);
      return { data: all };
    },
  });

export const traceHelpersQuery = (run: string) =>
  queryOptions({
    queryKey: keys.helpers(run),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/runs/{run}/helpers", { params: { path: { run } }, signal })),
  });

/** Puts the answer of a replay into its chat, as the branch that is shown. */
export const useContinue = () =>
  useChange(
    (run: string) => call(client.POST("/api/v1/runs/{run}/continue", { params: { path: { run } } })),
    keys.all,
  );

/** Asks the same question again, with another model where one is named, up to a turn where one is given. */
/** What the tools of a replay do. */
export type ToolMode = NonNullable<components["schemas"]["ReplayRequest"]["tools"]>;

export const useReplay = () =>
  useChange(
    ({ run, turn, ...body }: { run: string; turn?: number; model?: string; tools: ToolMode }) =>
      turn === undefined
        ? call(
            client.POST("/api/v1/runs/{run}/replay", {
              params: { path: { run } },
              body,
            }),
          )
        : call(
            client.POST("/api/v1/runs/{run}/fork", {
              params: { path: { run } },
              body: { turn, ...body },
            }),
          ),
    keys.all,
  );
