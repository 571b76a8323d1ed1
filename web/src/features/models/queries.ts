import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, client } from "@/api/client";

export const modelKeys = {
  all: ["models"] as const,
  providers: () => ["models", "providers"] as const,
  catalogue: () => ["models", "catalogue"] as const,
  found: () => ["models", "found"] as const,
};

export const providersQuery = queryOptions({
  queryKey: modelKeys.providers(),
  queryFn: ({ signal }) =>
    call(client.GET("/api/v1/providers", { params: { query: { limit: 500 } }, signal })),
});

export const catalogueQuery = queryOptions({
  queryKey: modelKeys.catalogue(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/models", { params: { query: { limit: 500 } }, signal })),
});

/** Looks around on the server's machine; asked for by a person, never by itself. */
export const foundQuery = queryOptions({
  queryKey: modelKeys.found(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/models/found", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** A change of accounts or settings: what agents are asked with may be another model afterwards. */
function useChange<In, Out>(change: (input: In) => Promise<Out>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: modelKeys.providers() }),
        cache.invalidateQueries({ queryKey: modelKeys.catalogue() }),
        cache.invalidateQueries({ queryKey: ["agents"] }),
      ]),
  });
}

export type NewKey = { provider: string; key: string; name?: string };

/** Stores a key that works; one that does not is refused with the reason. */
export const useAddKey = () =>
  useChange(({ provider, key, name }: NewKey) =>
    call(
      client.POST("/api/v1/providers/{provider}/accounts", {
        params: { path: { provider } },
        body: { key, test: true, ...(name ? { name } : {}) },
      }),
    ),
  );

export type AccountRef = { provider: string; account: string };

export const useTurnAccount = () =>
  useChange(({ provider, account, enabled }: AccountRef & { enabled: boolean }) =>
    call(
      client.PATCH("/api/v1/providers/{provider}/accounts/{account}", {
        params: { path: { provider, account } },
        body: { enabled },
      }),
    ),
  );

export const useRemoveAccount = () =>
  useChange(({ provider, account }: AccountRef) =>
    call(
      client.DELETE("/api/v1/providers/{provider}/accounts/{account}", {
        params: { path: { provider, account } },
      }),
    ),
  );

/** Asks the provider with one account, by its name. */
export const useTest = () =>
  useChange(({ provider, name }: { provider: string; name: string }) =>
    call(
      client.POST("/api/v1/providers/{provider}/test", {
        params: { path: { provider } },
        body: name ? { account: name } : {},
      }),
    ),
  );

/** Writes settings of providers and models into the server's file; they count at once. */
export const useSaveSettings = () =>
  useChange((set: Record<string, unknown>) => call(client.PATCH("/api/v1/config", { body: { set } })));
