import { queryOptions, useMutation } from "@tanstack/react-query";
import { useChange as useChangeOf } from "@/api/change";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";

export type Tool = components["schemas"]["Tool"];
export type ToolResult = components["schemas"]["ToolResult"];
export type Server = components["schemas"]["MCPServer"];
export type ServerTool = components["schemas"]["MCPTool"];

export const toolKeys = {
  all: ["tools"] as const,
  list: () => ["tools", "list"] as const,
  servers: () => ["tools", "servers"] as const,
  logs: (server: string) => ["tools", "logs", server] as const,
  of: (server: string) => ["tools", "of", server] as const,
};

export const toolsQuery = queryOptions({
  queryKey: toolKeys.list(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/tools", { params: { query: { limit: 500 } }, signal })),
});

export const serversQuery = queryOptions({
  queryKey: toolKeys.servers(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/mcp/servers", { signal })),
  refetchInterval: 5_000,
});

export const logsQuery = (server: string) =>
  queryOptions({
    queryKey: toolKeys.logs(server),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/mcp/servers/{server}/logs", { params: { path: { server } }, signal })),
    refetchInterval: 2_000,
  });

const useChange = <In, Out>(change: (input: In) => Promise<Out>) => useChangeOf(change, toolKeys.all);

export const useCallTool = () =>
  useMutation({
    mutationFn: ({ tool, args }: { tool: string; args: unknown }) =>
      call(
        client.POST("/api/v1/tools/{tool}/call", { params: { path: { tool } }, body: { arguments: args } }),
      ),
  });

export const useAddServers = () =>
  useChange((text: string) => call(client.POST("/api/v1/mcp/servers/import", { body: { text } })));

/** The tools of a server, with what changed in them since someone agreed. */
export const serverToolsQuery = (server: string) =>
  queryOptions({
    queryKey: toolKeys.of(server),
    queryFn: ({ signal }) =>
      call(
        client.GET("/api/v1/mcp/servers/{server}/tools", {
          params: { path: { server }, query: { limit: 500 } },
          signal,
        }),
      ),
  });

export const useSignIn = () =>
  useChange((server: string) =>
    call(client.POST("/api/v1/mcp/servers/{server}/signin", { params: { path: { server } } })),
  );

export const useSignOut = () =>
  useChange((server: string) =>
    call(client.DELETE("/api/v1/mcp/servers/{server}/signin", { params: { path: { server } } })),
  );

export type ServerAction = "start" | "stop" | "restart";

export const useServerAction = () =>
  useChange(({ server, action }: { server: string; action: ServerAction }) => {
    const params = { path: { server } };
    if (action === "start") return call(client.POST("/api/v1/mcp/servers/{server}/start", { params }));
    if (action === "stop") return call(client.POST("/api/v1/mcp/servers/{server}/stop", { params }));
    return call(client.POST("/api/v1/mcp/servers/{server}/restart", { params }));
  });

export const useConsent = () =>
  useChange(({ server, tools }: { server: string; tools: string[] }) =>
    call(
      client.POST("/api/v1/mcp/servers/{server}/consent", { params: { path: { server } }, body: { tools } }),
    ),
  );

export const useRemoveServer = () =>
  useChange((server: string) =>
    call(client.DELETE("/api/v1/mcp/servers/{server}", { params: { path: { server } } })),
  );
