import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";

export type Fact = components["schemas"]["Fact"];
export type Source = components["schemas"]["KnowledgeSource"];

export const memoryKeys = {
  all: ["memory"] as const,
  facts: (state: string) => ["memory", "facts", state] as const,
  sources: () => ["memory", "sources"] as const,
  recall: (text: string) => ["memory", "recall", text] as const,
};

export const factsQuery = (state: "active" | "review") =>
  queryOptions({
    queryKey: memoryKeys.facts(state),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/memory/facts", { params: { query: { state, limit: 200 } }, signal })),
  });

export const sourcesQuery = queryOptions({
  queryKey: memoryKeys.sources(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/knowledge/sources", { signal })),
  refetchInterval: (query) => (query.state.data?.data.some((one) => !settled(one)) ? 1500 : false),
});

/** True when nothing is being read. */
export const settled = (source: Source) => source.state === "ready" || source.state === "failed";

/** What an agent would recall, with how each score came about. */
export const recallQuery = (query: string) =>
  queryOptions({
    queryKey: memoryKeys.recall(query),
    queryFn: ({ signal }) =>
      call(client.POST("/api/v1/memory/search", { body: { query, explain: true, limit: 10 }, signal })),
    staleTime: 5_000,
  });

function useChange<In, Out>(change: (input: In) => Promise<Out>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => cache.invalidateQueries({ queryKey: memoryKeys.all }),
  });
}

export const useRemember = () =>
  useChange((text: string) => call(client.POST("/api/v1/memory/facts", { body: { text } })));

export const usePin = () =>
  useChange(({ id, pinned }: Pick<Fact, "id" | "pinned">) =>
    call(client.PATCH("/api/v1/memory/facts/{fact}", { params: { path: { fact: id } }, body: { pinned } })),
  );

export const useForget = () =>
  useChange((fact: string) =>
    call(client.DELETE("/api/v1/memory/facts/{fact}", { params: { path: { fact } } })),
  );

export const useReview = () =>
  useChange(({ fact, keep }: { fact: string; keep: boolean }) =>
    keep
      ? call(client.POST("/api/v1/memory/review/{fact}/accept", { params: { path: { fact } } }))
      : call(client.POST("/api/v1/memory/review/{fact}/reject", { params: { path: { fact } } })),
  );

export const useAddSource = () =>
  useChange((body: { location: string; watch: boolean }) =>
    call(client.POST("/api/v1/knowledge/sources", { body })),
  );

export const useReindex = () =>
  useChange((source: string) =>
    call(
      client.POST("/api/v1/knowledge/sources/{source}/reindex", { params: { path: { source } }, body: {} }),
    ),
  );

export const useRemoveSource = () =>
  useChange((source: string) =>
    call(client.DELETE("/api/v1/knowledge/sources/{source}", { params: { path: { source } } })),
  );
