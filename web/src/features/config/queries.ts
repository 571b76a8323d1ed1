import { queryOptions } from "@tanstack/react-query";
import { useChange } from "@/api/change";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";

export type ConfigFile = components["schemas"]["ConfigFile"];

export const configKeys = { all: ["config"] as const };

export const configQuery = queryOptions({
  queryKey: configKeys.all,
  queryFn: ({ signal }) => call(client.GET("/api/v1/config", { signal })),
});

/** The settings file as a text; secrets are masked. */
export const configFileQuery = queryOptions({
  queryKey: [...configKeys.all, "file"] as const,
  queryFn: ({ signal }) => call(client.GET("/api/v1/config/file", { signal })),
  refetchOnWindowFocus: false,
});

/** Whether a text would be accepted as the file. */
export const checkQuery = (text: string) =>
  queryOptions({
    queryKey: ["config-check", text] as const,
    queryFn: ({ signal }) => call(client.POST("/api/v1/config/validate", { body: { text }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    placeholderData: (before) => before,
  });

/** Saves to the file; the etag makes sure that nobody else's change is overwritten unseen. */
export const useSaveConfig = () =>
  useChange(
    (body: { set: Record<string, unknown>; etag?: string }) => call(client.PATCH("/api/v1/config", { body })),
    configKeys.all,
  );

export const useSaveFile = () =>
  useChange(
    (body: { text: string; etag: string }) => call(client.PUT("/api/v1/config/file", { body })),
    configKeys.all,
  );
