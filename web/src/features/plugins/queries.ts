import { queryOptions } from "@tanstack/react-query";
import { useChange as useChangeOf } from "@/api/change";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";

export type Plugin = components["schemas"]["Plugin"];
export type Setting = Plugin["settings"][number];
export type Binned = components["schemas"]["Binned"];

export const pluginKeys = {
  all: ["plugins"] as const,
  list: () => ["plugins", "list"] as const,
  removed: () => ["plugins", "removed"] as const,
};

export const pluginsQuery = queryOptions({
  queryKey: pluginKeys.list(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/plugins", { params: { query: { limit: 500 } }, signal })),
});

export const removedQuery = queryOptions({
  queryKey: pluginKeys.removed(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/plugins/removed", { signal })),
});

const useChange = <In, Out>(change: (input: In) => Promise<Out>) => useChangeOf(change, pluginKeys.all);

export const useInstall = () =>
  useChange((body: { folder: string; link: boolean }) => call(client.POST("/api/v1/plugins", { body })));

/** Agrees to the files that were shown: the digest says which. */
export const useEnable = () =>
  useChange((of: Plugin) =>
    call(
      client.POST("/api/v1/plugins/{plugin}/enable", {
        params: { path: { plugin: of.name } },
        body: { digest: of.digest ?? "" },
      }),
    ),
  );

export const useDisable = () =>
  useChange((plugin: string) =>
    call(client.POST("/api/v1/plugins/{plugin}/disable", { params: { path: { plugin } } })),
  );

export const useConfigure = () =>
  useChange(({ plugin, settings }: { plugin: string; settings: Record<string, unknown> }) =>
    call(
      client.PATCH("/api/v1/plugins/{plugin}/settings", { params: { path: { plugin } }, body: { settings } }),
    ),
  );

export const useRemovePlugin = () =>
  useChange((plugin: string) =>
    call(client.DELETE("/api/v1/plugins/{plugin}", { params: { path: { plugin } } })),
  );

export const useRestore = () =>
  useChange((plugin: string) =>
    call(client.POST("/api/v1/plugins/{plugin}/restore", { params: { path: { plugin } } })),
  );
