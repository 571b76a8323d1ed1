import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";
import type { Agent } from "@/api/types";

export type AgentChange = components["schemas"]["AgentChangeRequest"];
export type NewAgent = components["schemas"]["NewAgentRequest"];

export const agentKeys = {
  all: ["agents"] as const,
  one: (name: string) => ["agents", "one", name] as const,
  versions: (name: string) => ["agents", "one", name, "versions"] as const,
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

function useChanged() {
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: agentKeys.all });
}

export function useCreateAgent() {
  const changed = useChanged();
  return useMutation({
    mutationFn: (body: NewAgent) => call(client.POST("/api/v1/agents", { body })),
    onSuccess: changed,
  });
}

export function useSaveAgent(agent: string) {
  const changed = useChanged();
  return useMutation({
    mutationFn: (body: AgentChange) =>
      call(client.PATCH("/api/v1/agents/{agent}", { params: { path: { agent } }, body })),
    onSuccess: changed,
  });
}

export function useRollBack(agent: string) {
  const changed = useChanged();
  return useMutation({
    mutationFn: (version: number) =>
      call(
        client.POST("/api/v1/agents/{agent}/rollback", { params: { path: { agent } }, body: { version } }),
      ),
    onSuccess: changed,
  });
}

export function useRemoveAgent() {
  const changed = useChanged();
  return useMutation({
    mutationFn: ({ name }: Pick<Agent, "name">) =>
      call(client.DELETE("/api/v1/agents/{agent}", { params: { path: { agent: name } } })),
    onSuccess: changed,
  });
}
