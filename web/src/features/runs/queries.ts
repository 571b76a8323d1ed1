import { type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { isAside } from "@/api/aside";
import { call, client } from "@/api/client";
import { renew, take } from "@/api/news";
import type { LiveEvent, Page, Run } from "@/api/types";
import { addDelta, addSnapshot, type Delta, emptyStream, type Stream } from "./stream";
import { addWorkSnapshot, applyWork, type Need, noWork, type Snapshot, type Work } from "./work";

export const runKeys = {
  all: ["runs"] as const,
  lists: () => ["runs", "list"] as const,
  recent: () => ["runs", "list", "recent"] as const,
  of: (conversation: string) => ["runs", "list", "of", conversation] as const,
  stream: (run: string) => ["runs", "stream", run] as const,
  work: (run: string) => ["runs", "work", run] as const,
  helpers: (run: string) => ["runs", "helpers", run] as const,
  context: (conversation: string) => ["runs", "context", conversation] as const,
};

/** The newest runs of this person, for the overview and the dots in the sidebar. */
export const recentRunsQuery = queryOptions({
  queryKey: runKeys.recent(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/runs", { params: { query: { limit: 100 } }, signal })),
});

/** The newest runs of one conversation; the first one tells whether an answer is being written. */
export const runsOfQuery = (conversation: string) =>
  queryOptions({
    queryKey: runKeys.of(conversation),
    queryFn: async ({ signal }) => {
      const page = await call(
        client.GET("/api/v1/runs", { params: { query: { conversation, limit: 20 } }, signal }),
      );
      return { ...page, data: page.data.filter((run) => !isAside(run)) };
    },
  });

/** The answer a run has written so far; live pieces are added to it as they come. */
export const streamQuery = (run: Pick<Run, "id" | "answer">, cache: QueryClient) =>
  queryOptions({
    queryKey: runKeys.stream(run.id),
    queryFn: async ({ signal }): Promise<Stream> => {
      const now = await call(client.GET("/api/v1/runs/{run}", { params: { path: { run: run.id } }, signal }));
      const known = cache.getQueryData<Stream>(runKeys.stream(run.id)) ?? emptyStream(run.answer);
      cache.setQueryData<Work>(runKeys.work(run.id), (work) =>
        addWorkSnapshot(work ?? noWork, (now.partial ?? {}) as Snapshot, now.needs as Need[] | undefined),
      );
      return now.partial ? addSnapshot(known, now.partial) : known;
    },
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    gcTime: 60_000,
  });

/** What a run did so far. It is filled by the snapshot and by live events, never fetched by itself. */
export const workQuery = (run: string) =>
  queryOptions({
    queryKey: runKeys.work(run),
    queryFn: (): Work => noWork,
    initialData: noWork,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

/** Takes facts about runs that are at work. */
export function applyWorkEvents(cache: QueryClient, events: readonly LiveEvent[]): void {
  for (const run of new Set(events.map((event) => event.data.run))) {
    const of = events.filter((event) => event.data.run === run);
    if (typeof run === "string")
      cache.setQueryData<Work>(runKeys.work(run), (work) => of.reduce(applyWork, work ?? noWork));
  }
}

/** The helpers of a run, each a run of its own. */
export const helpersQuery = (run: string) =>
  queryOptions({
    queryKey: runKeys.helpers(run),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/runs/{run}/helpers", { params: { path: { run } }, signal })),
  });

/** Tells an agent what it asked for. */
export function useAnswerRun() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ run, call: asked, answers }: { run: string; call: string; answers: readonly string[] }) =>
      call(
        client.POST("/api/v1/runs/{run}/answer", {
          params: { path: { run } },
          body: { call: asked, answers: [...answers] },
        }),
      ),
    onSettled: () => cache.invalidateQueries({ queryKey: runKeys.lists() }),
  });
}

export type ChatInput = {
  /** Empty: whoever fits. */
  agent: string;
  message: string;
  conversation?: string | undefined;
  mode?: "steer" | "interrupt" | undefined;
  model?: string | undefined;
  attachments?: string[] | undefined;
  key: string;
};

/** Hands a message to an agent. The key makes a repeat after a lost answer harmless. */
export function startChat({ agent, key, ...given }: ChatInput) {
  // What is undefined is not written; the types want it absent.
  const body = given as { message: string };
  const headers = { "Idempotency-Key": key };
  return call(
    agent
      ? client.POST("/api/v1/agents/{agent}/chat", { params: { path: { agent } }, body, headers })
      : client.POST("/api/v1/chat", { body, headers }),
  );
}

export function useCancelRun() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (run: string) =>
      call(client.POST("/api/v1/runs/{run}/cancel", { params: { path: { run } } })),
    onSettled: () => cache.invalidateQueries({ queryKey: runKeys.lists() }),
  });
}

/**
 * Puts a run that was just started into the lists, so that the page knows before the next event. How it went may have been
 * said before its start was answered, so the lists are asked again.
 */
export function noteRun(cache: QueryClient, run: Run): void {
  for (const key of [runKeys.recent(), runKeys.of(run.conversation)]) {
    cache.setQueryData<Page<Run>>(key, (page) => {
      if (!page) return { data: [run], has_more: false };
      return page.data.some((one) => one.id === run.id) ? page : { ...page, data: [run, ...page.data] };
    });
  }
  void cache.invalidateQueries({ queryKey: runKeys.lists() });
}

const states: Record<string, string> = {
  "runs.queued": "queued",
  "runs.started": "running",
  "runs.waiting": "waiting",
  "runs.finished": "finished",
  "runs.failed": "failed",
  "runs.cancelled": "cancelled",
};

/** Patches every list of runs with what an event says; a run we do not know yet is fetched. */
export function applyRunEvent(cache: QueryClient, event: LiveEvent): void {
  const state = states[event.kind];
  const id = event.data.run;
  if (!state || typeof id !== "string") return;
  let known = false;
  take<Page<Run>>(cache, { queryKey: runKeys.lists() }, (page) => {
    if (!page.data.some((run) => run.id === id)) return page;
    known = true;
    return { ...page, data: page.data.map((run) => (run.id === id ? moved(run, state, event) : run)) };
  });
  const over = state !== "queued" && state !== "running" && state !== "waiting";
  if (!known || over) renew(cache, { queryKey: runKeys.lists() });
  if (over) renew(cache, { queryKey: ["runs", "context"] });
}

function moved(run: Run, state: string, event: LiveEvent): Run {
  if (state === "queued") return run;
  if (state === "running") return { ...run, state, started_at: run.started_at ?? event.at };
  if (state === "waiting")
    return { ...run, state, needs: (event.data.needs ?? []) as NonNullable<Run["needs"]> };
  const error = event.data.error as Run["error"];
  return { ...run, state, finished_at: event.at, ...(error ? { error } : {}) };
}

/** Adds pieces of answers, those of one answer at once; a missing piece is healed by asking for the answer so far. */
export function applyDeltas(cache: QueryClient, deltas: readonly Delta[]): void {
  for (const run of new Set(deltas.map((delta) => delta.run))) {
    const key = runKeys.stream(run);
    const of = deltas.filter((delta) => delta.run === run);
    let stream = cache.getQueryData<Stream>(key) ?? emptyStream(of[0]?.message ?? "");
    let missing = false;
    for (const delta of of) {
      const next = addDelta(stream, delta);
      stream = next.stream;
      missing ||= next.gap;
    }
    cache.setQueryData(key, stream);
    if (missing) void cache.invalidateQueries({ queryKey: key });
  }
}
