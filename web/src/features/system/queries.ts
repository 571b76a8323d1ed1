import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import type { Mode } from "@/api/types";

export const systemKeys = {
  all: ["system"] as const,
  system: () => ["system", "state"] as const,
  backups: () => ["system", "backups"] as const,
  posture: () => ["system", "posture"] as const,
  logs: (level: LogLevel) => ["system", "logs", level] as const,
};

export type LogLevel = "debug" | "info" | "warn" | "error";

/** How safe the server is set up. */
export const postureQuery = queryOptions({
  queryKey: systemKeys.posture(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/system/posture", { signal })),
});

/** The last lines the server logged. */
export const serverLogsQuery = (level: LogLevel) =>
  queryOptions({
    queryKey: systemKeys.logs(level),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/system/logs", { params: { query: { level, limit: 400 } }, signal })),
    refetchInterval: 3_000,
    placeholderData: (before) => before,
  });

export const systemQuery = queryOptions({
  queryKey: systemKeys.system(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/system", { signal })),
  refetchInterval: 30_000,
});

export const backupsQuery = queryOptions({
  queryKey: systemKeys.backups(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/system/backups", { signal })),
});

export function useSetMode() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (mode: Mode) => call(client.POST("/api/v1/system/mode", { body: { mode } })),
    onSuccess: () => cache.invalidateQueries({ queryKey: systemKeys.all }),
  });
}

export function useBackup() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => call(client.POST("/api/v1/system/backups")),
    onSuccess: () => cache.invalidateQueries({ queryKey: systemKeys.backups() }),
  });
}

/** The version of the running server, undefined when it cannot be told. */
export async function readVersion(): Promise<string | undefined> {
  try {
    const answer = await fetch("/version", { cache: "no-store" });
    const body = (await answer.json()) as { version?: string };
    return answer.ok ? body.version : undefined;
  } catch {
    return undefined;
  }
}
