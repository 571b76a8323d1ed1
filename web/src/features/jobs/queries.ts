import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { call, client } from "@/api/client";
import { renew } from "@/api/news";
import type { LiveEvent, NewSchedule } from "@/api/types";

export const jobKeys = {
  all: ["jobs"] as const,
  list: (state: string) => ["jobs", "list", state] as const,
  kinds: () => ["jobs", "kinds"] as const,
  schedules: () => ["jobs", "schedules"] as const,
};

export type JobState = "queued" | "running" | "paused" | "finished" | "failed" | "cancelled";

export const jobsQuery = (state: JobState | "") =>
  infiniteQueryOptions({
    queryKey: jobKeys.list(state),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      call(
        client.GET("/api/v1/jobs", {
          params: {
            query: { limit: 50, ...(state ? { state } : {}), ...(pageParam ? { cursor: pageParam } : {}) },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => (page.has_more ? page.next_cursor : undefined),
  });

export const jobKindsQuery = queryOptions({
  queryKey: jobKeys.kinds(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/jobs/kinds", { signal })),
});

export const schedulesQuery = queryOptions({
  queryKey: jobKeys.schedules(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/jobs/schedules", { signal })),
});

function useChange<In>(change: (input: In) => Promise<unknown>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => cache.invalidateQueries({ queryKey: jobKeys.all }),
  });
}

export const useCancelJob = () =>
  useChange((job: string) => call(client.POST("/api/v1/jobs/{job}/cancel", { params: { path: { job } } })));

export const useRetryJob = () =>
  useChange((job: string) => call(client.POST("/api/v1/jobs/{job}/retry", { params: { path: { job } } })));

export const usePauseKind = () =>
  useChange(({ kind, pause }: { kind: string; pause: boolean }) =>
    pause
      ? call(client.POST("/api/v1/jobs/kinds/{kind}/pause", { params: { path: { kind } } }))
      : call(client.POST("/api/v1/jobs/kinds/{kind}/resume", { params: { path: { kind } } })),
  );

export const useSaveSchedule = () =>
  useChange(({ id, enabled }: { id: string; enabled: boolean }) =>
    call(
      client.PATCH("/api/v1/jobs/schedules/{schedule}", {
        params: { path: { schedule: id } },
        body: { enabled },
      }),
    ),
  );

export const useCreateSchedule = () =>
  useChange((body: NewSchedule) => call(client.POST("/api/v1/jobs/schedules", { body })));

export const useRemoveSchedule = () =>
  useChange((schedule: string) =>
    call(client.DELETE("/api/v1/jobs/schedules/{schedule}", { params: { path: { schedule } } })),
  );

/** Lists of jobs are small and change in bursts: they are marked old, and fetched again while shown. */
export function applyJobEvent(cache: QueryClient, _event: LiveEvent): void {
  renew(cache, { queryKey: jobKeys.all });
}
