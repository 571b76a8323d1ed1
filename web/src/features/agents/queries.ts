import { queryOptions } from "@tanstack/react-query";
import { useChange } from "@/api/change";
import { call, client } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { components } from "@/api/schema";
import type { Agent } from "@/api/types";
import { common } from "@/lib/messages/common";

export type AgentChange = components["schemas"]["AgentChangeRequest"];
export type NewAgent = components["schemas"]["NewAgentRequest"];

export const agentKeys = {
  all: ["agents"] as const,
  one: (name: string) => ["agents", "one", name] as const,
  versions: (name: string) => ["agents", "one", name, "versions"] as const,
  presets: () => ["agents", "presets"] as const,
  compare: (name: string, from: number, to: number) => ["agents", "one", name, "compare", from, to] as const,
  file: (name: string, version: number) => ["agents", "one", name, "file", version] as const,
  route: (text: string) => ["agents", "route", text] as const,
};

export const agentsQuery = queryOptions({
  queryKey: agentKeys.all,
  queryFn: ({ signal }) => call(client.GET("/api/v1/agents", { params: { query: { limit: 100 } }, signal })),
  staleTime: 60_000,
});

export const agentQuery = (agent: string) =>
  queryOptions({
    queryKey: agentKeys.one(agent),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/agents/{agent}", { params: { path: { agent } }, signal })),
  });

export const agentVersionsQuery = (agent: string) =>
  queryOptions({
    queryKey: agentKeys.versions(agent),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/agents/{agent}/versions", { params: { path: { agent } }, signal })),
  });

/** Which agent a message would go to, and why. */
export const routeQuery = (message: string) =>
  queryOptions({
    queryKey: agentKeys.route(message),
    queryFn: ({ signal }) => call(client.POST("/api/v1/agents/route", { body: { message }, signal })),
    staleTime: 10_000,
  });

/** What agents were before the workspace changed them; a new one may begin as any of them. */
export const presetsQuery = queryOptions({
  queryKey: agentKeys.presets(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/agents/presets", { signal })),
  staleTime: 300_000,
});

/** How two versions of an agent differ, field by field. */
export const compareQuery = (agent: string, from: number, to: number) =>
  queryOptions({
    queryKey: agentKeys.compare(agent, from, to),
    queryFn: ({ signal }) =>
      call(
        client.GET("/api/v1/agents/{agent}/compare", {
          params: { path: { agent }, query: { from, to } },
          signal,
        }),
      ),
  });

/** The agent as a file, in YAML. */
export const agentFileQuery = (agent: string, version: number) =>
  queryOptions({
    queryKey: agentKeys.file(agent, version),
    queryFn: async ({ signal }) => {
      const answer = await fetch(`/api/v1/agents/${encodeURIComponent(agent)}/export`, { signal });
      if (!answer.ok) throw new ApiError(answer.status, { message: common.errors.status(answer.status) });
      return await answer.text();
    },
  });

/** Says what a file would do, and changes nothing. */
export const checkAgents = (text: string, signal: AbortSignal) =>
  call(client.POST("/api/v1/agents/import", { body: { text, replace: true, dry_run: true }, signal }));

export const useImportAgents = () =>
  useChange(
    (text: string) => call(client.POST("/api/v1/agents/import", { body: { text, replace: true } })),
    agentKeys.all,
  );

export const useCreateAgent = () =>
  useChange((body: NewAgent) => call(client.POST("/api/v1/agents", { body })), agentKeys.all);

export const useSaveAgent = (agent: string) =>
  useChange(
    (body: AgentChange) =>
      call(client.PATCH("/api/v1/agents/{agent}", { params: { path: { agent } }, body })),
    agentKeys.all,
  );

export const useRollBack = (agent: string) =>
  useChange(
    (version: number) =>
      call(
        client.POST("/api/v1/agents/{agent}/rollback", { params: { path: { agent } }, body: { version } }),
      ),
    agentKeys.all,
  );

export const useRemoveAgent = () =>
  useChange(
    ({ name }: Pick<Agent, "name">) =>
      call(client.DELETE("/api/v1/agents/{agent}", { params: { path: { agent: name } } })),
    agentKeys.all,
  );
