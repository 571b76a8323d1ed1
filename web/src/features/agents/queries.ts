import { queryOptions } from "@tanstack/react-query";
import { call, client } from "@/api/client";

export const agentKeys = { all: ["agents"] as const };

export const agentsQuery = queryOptions({
  queryKey: agentKeys.all,
  queryFn: ({ signal }) => call(client.GET("/api/v1/agents", { params: { query: { limit: 100 } }, signal })),
  staleTime: 60_000,
});
