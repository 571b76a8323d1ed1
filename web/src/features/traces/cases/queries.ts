import { queryOptions } from "@tanstack/react-query";
import { useChange } from "@/api/change";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";

export type Case = components["schemas"]["Case"];

const keys = { cases: ["runs", "cases"] as const, all: ["runs"] as const };

/** Every case of this person, in as many pages as there are; asked again while one is being tried. */
export const casesQuery = queryOptions({
  queryKey: keys.cases,
  queryFn: async ({ signal }) => {
    const all: Case[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: 200, ...(cursor ? { cursor } : {}) };
      const page = await call(client.GET("/api/v1/cases", { params: { query }, signal }));
      all.push(...page.data);
      cursor = page.has_more ? page.next_cursor : undefined;
    } while (cursor);
    return all;
  },
  refetchInterval: ({ state }) => (state.data?.some((one) => one.last?.verdict === "running") ? 1000 : false),
});

/** Keeps a run: what it called and answered is expected from now on. */
export const useKeepCase = () =>
  useChange(
    (body: { run: string; name: string; contains: string[] }) => call(client.POST("/api/v1/cases", { body })),
    keys.cases,
  );

/** Tries cases, with the model they were kept with or another. */
export const useTryCases = () =>
  useChange(
    ({ cases, model }: { cases: readonly string[]; model: string }) =>
      Promise.all(
        cases.map((one) =>
          call(
            client.POST("/api/v1/cases/{case}/run", {
              params: { path: { case: one } },
              body: model ? { model } : {},
            }),
          ),
        ),
      ),
    keys.all,
  );

export const useForgetCase = () =>
  useChange(
    (id: string) => call(client.DELETE("/api/v1/cases/{case}", { params: { path: { case: id } } })),
    keys.cases,
  );
