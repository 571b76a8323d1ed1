import { queryOptions } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import type { Me } from "@/api/types";

export const identityKeys = {
  all: ["identity"] as const,
  me: () => ["identity", "me"] as const,
  setup: () => ["identity", "setup"] as const,
  options: () => ["identity", "options"] as const,
  sessions: () => ["identity", "sessions"] as const,
  devices: () => ["identity", "devices"] as const,
  passkeys: () => ["identity", "passkeys"] as const,
  confirmation: () => ["identity", "confirmation"] as const,
  users: () => ["identity", "users"] as const,
  keys: () => ["identity", "keys"] as const,
  workspaces: () => ["identity", "workspaces"] as const,
  audit: (filter: AuditFilter) => ["identity", "audit", filter] as const,
};

export type AuditResult = "ok" | "refused" | "failed";
export type AuditFilter = {
  actor?: string | undefined;
  action?: string | undefined;
  resource?: string | undefined;
  result?: AuditResult | undefined;
  since?: string | undefined;
  until?: string | undefined;
};

/** Who is signed in; null when nobody is. */
export const meQuery = queryOptions({
  queryKey: identityKeys.me(),
  queryFn: async ({ signal }): Promise<Me | null> => {
    const result = client.GET("/api/v1/session", { signal });
    if ((await result.catch(() => undefined))?.response.status === 401) return null;
    return call(result);
  },
  staleTime: 5 * 60_000,
});

export const setupQuery = queryOptions({
  queryKey: identityKeys.setup(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/setup", { signal })),
});

export const signOut = () => call(client.DELETE("/api/v1/session"));

export const switchWorkspace = (workspace: string) =>
  call(client.POST("/api/v1/session/workspace", { body: { workspace } }));
