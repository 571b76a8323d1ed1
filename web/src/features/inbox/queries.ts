import { type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import { take } from "@/api/news";
import type { LiveEvent, Page } from "@/api/types";

export const inboxKeys = {
  notices: () => ["inbox", "notices"] as const,
  // Lists of runs: what is said about runs patches them like all others.
  waiting: () => ["runs", "list", "waiting"] as const,
  failed: () => ["runs", "list", "failed"] as const,
};

/** Runs of this person that wait for a word. */
export const waitingRunsQuery = queryOptions({
  queryKey: inboxKeys.waiting(),
  queryFn: ({ signal }) =>
    call(client.GET("/api/v1/runs", { params: { query: { state: "waiting", limit: 200 } }, signal })),
});

const week = 7 * 24 * 3_600_000;

/** Runs of this person that failed within a week. How a test case went is told where it is tried. */
export const failedRunsQuery = queryOptions({
  queryKey: inboxKeys.failed(),
  queryFn: async ({ signal }) => {
    const query = { state: "failed", since: new Date(Date.now() - week).toISOString(), limit: 100 } as const;
    const page = await call(client.GET("/api/v1/runs", { params: { query }, signal }));
    return { ...page, data: page.data.filter((run) => run.reason !== "case") };
  },
});

/** What this person was told and has not put away yet, the oldest first. */
export const noticesQuery = queryOptions({
  queryKey: inboxKeys.notices(),
  queryFn: async ({ signal }): Promise<Page<LiveEvent>> => {
    const query = { channel: ["notifications/**"], limit: 200 };
    return await call(client.GET("/api/v1/events/acks", { params: { query }, signal }));
  },
});

/** Adds a notice that came live, once. */
export function noteNotice(cache: QueryClient, event: LiveEvent): void {
  take<Page<LiveEvent>>(cache, { queryKey: inboxKeys.notices() }, (page) =>
    page.data.some((one) => one.cursor === event.cursor) ? page : { ...page, data: [...page.data, event] },
  );
}

/** Puts a notice away, on every device of this person. */
export function usePutAway() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (cursor: number) => call(client.POST("/api/v1/events/acks", { body: { cursors: [cursor] } })),
    onMutate: (cursor) => {
      const before = cache.getQueryData<Page<LiveEvent>>(inboxKeys.notices());
      cache.setQueryData<Page<LiveEvent>>(
        inboxKeys.notices(),
        (page) => page && { ...page, data: page.data.filter((one) => one.cursor !== cursor) },
      );
      return before;
    },
    onError: (_, __, before) => cache.setQueryData(inboxKeys.notices(), before),
  });
}
