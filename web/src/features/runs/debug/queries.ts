import { queryOptions } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";

export type Step = components["schemas"]["Step"];
export type Learned = components["schemas"]["Fact"];

/** What a run did, step by step. Live events of runs make it ask again. */
export const stepsOfQuery = (run: string) =>
  queryOptions({
    queryKey: ["runs", "steps", run] as const,
    queryFn: ({ signal }) =>
      call(
        client.GET("/api/v1/runs/{run}/steps", { params: { path: { run }, query: { limit: 500 } }, signal }),
      ),
  });

/** The facts that were learned in one conversation. */
export const learnedQuery = (conversation: string) =>
  queryOptions({
    queryKey: ["memory", "learned", conversation] as const,
    queryFn: async ({ signal }): Promise<Learned[]> => {
      const lists = await Promise.all(
        (["active", "review"] as const).map((state) =>
          call(client.GET("/api/v1/memory/facts", { params: { query: { state, limit: 500 } }, signal })),
        ),
      );
      return lists.flatMap((page) => page.data).filter((fact) => fact.source.conversation === conversation);
    },
  });
