import { queryOptions } from "@tanstack/react-query";
import { useChange as useChangeOf } from "@/api/change";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";

export type Fact = components["schemas"]["Fact"];
export type Source = components["schemas"]["KnowledgeSource"];
export type SourceFile = components["schemas"]["KnowledgeFile"];
export type Graph = components["schemas"]["Graph"];
export type GraphNode = components["schemas"]["GraphNode"];
export type Profile = components["schemas"]["MemoryProfile"];

export const memoryKeys = {
  all: ["memory"] as const,
  facts: (state: string) => ["memory", "facts", state] as const,
  sources: () => ["memory", "sources"] as const,
  files: (source: string) => ["memory", "files", source] as const,
  graph: () => ["memory", "graph"] as const,
  profile: () => ["memory", "profile"] as const,
  history: (fact: string) => ["memory", "history", fact] as const,
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

/** The documents of a source, and why some could not be read. */
export const filesQuery = (source: string) =>
  queryOptions({
    queryKey: memoryKeys.files(source),
    queryFn: ({ signal }) =>
      call(
        client.GET("/api/v1/knowledge/sources/{source}/files", {
          params: { path: { source }, query: { limit: 500 } },
          signal,
        }),
      ),
  });

/** Everything agents know of things and how they belong together. */
export const graphQuery = queryOptions({
  queryKey: memoryKeys.graph(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/memory/graph", { signal })),
});

/** What is known of the person who is signed in, in fields. */
export const profileQuery = queryOptions({
  queryKey: memoryKeys.profile(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/memory/profile", { signal })),
});

/** What a fact said before. */
export const historyQuery = (fact: string) =>
  queryOptions({
    queryKey: memoryKeys.history(fact),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/memory/facts/{fact}/history", { params: { path: { fact } }, signal })),
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

const useChange = <In, Out>(change: (input: In) => Promise<Out>) => useChangeOf(change, memoryKeys.all);

export const useRemember = () =>
  useChange((text: string) => call(client.POST("/api/v1/memory/facts", { body: { text } })));

export const usePin = () =>
  useChange(({ id, pinned }: Pick<Fact, "id" | "pinned">) =>
    call(client.PATCH("/api/v1/memory/facts/{fact}", { params: { path: { fact: id } }, body: { pinned } })),
  );

export const useRewrite = () =>
  useChange(({ id, text }: Pick<Fact, "id" | "text">) =>
    call(client.PATCH("/api/v1/memory/facts/{fact}", { params: { path: { fact: id } }, body: { text } })),
  );

/** Lays fields over the profile; null takes one out. */
export const useSaveProfile = () =>
  useChange((fields: Record<string, unknown>) =>
    call(client.PATCH("/api/v1/memory/profile", { body: { fields } })),
  );

export const useForgetNode = () =>
  useChange((name: string) =>
    call(client.DELETE("/api/v1/memory/graph/entities", { body: { names: [name] } })),
  );

export const useForgetObservation = () =>
  useChange(({ name, text }: { name: string; text: string }) =>
    call(
      client.DELETE("/api/v1/memory/graph/observations", {
        body: { observations: [{ entityName: name, contents: [text] }] },
      }),
    ),
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
