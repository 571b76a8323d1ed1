import { queryOptions } from "@tanstack/react-query";
import { useChange as useChangeOf } from "@/api/change";
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

/** A code to type on the provider's page; asked for once, when somebody wants to sign in. */
export const signInCodeQuery = (provider: string) =>
  queryOptions({
    queryKey: ["models", "sign-in", provider] as const,
    queryFn: () =>
      call(client.POST("/api/v1/providers/{provider}/signin", { params: { path: { provider } } })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

/** Whether the code was typed; the server waits a moment before it answers, so it is asked again at once. */
export const signInStateQuery = (provider: string, signin: string) =>
  queryOptions({
    queryKey: ["models", "sign-in-state", provider, signin] as const,
    queryFn: ({ signal }) =>
      call(
        client.POST("/api/v1/providers/{provider}/signin/{signin}", {
          params: { path: { provider, signin } },
          signal,
        }),
      ),
    refetchInterval: (query) => (query.state.data?.done || query.state.error ? false : 500),
    gcTime: 0,
    retry: false,
  });

/** A change of accounts or settings: what agents are asked with may be another model afterwards. */
const useChange = <In, Out>(change: (input: In) => Promise<Out>) =>
  useChangeOf(change, modelKeys.providers(), modelKeys.catalogue(), ["agents"]);

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
