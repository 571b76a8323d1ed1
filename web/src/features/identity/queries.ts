import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { call, client } from "@/api/client";
import { isCode } from "@/api/errors";
import { confirmed, makePasskey, signWithPasskey } from "@/api/passkey";
import type { components } from "@/api/schema";
import type { Me, NewKey, NewUser, SetupRequest, SignInRequest, UserChange } from "@/api/types";
import { type AuditFilter, identityKeys } from "./me/queries";

// What every page needs to know about who is there is apart, so that it can be loaded without the rest.
export * from "./me/queries";

export const optionsQuery = queryOptions({
  queryKey: identityKeys.options(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/session/options", { signal })),
});

/** Where signing in with another provider begins; the browser goes there itself. */
export const oidcStart = "/api/v1/oidc/start";

export const sessionsQuery = queryOptions({
  queryKey: identityKeys.sessions(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/sessions", { signal })),
});

export const devicesQuery = queryOptions({
  queryKey: identityKeys.devices(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/account/devices", { signal })),
});

/** A passkey of this person. */
export type Passkey = components["schemas"]["Passkey"];

export const passkeysQuery = queryOptions({
  queryKey: identityKeys.passkeys(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/account/passkeys", { signal })),
});

/** Whether approvals are confirmed with a passkey, and whether there can be one here. */
export const confirmationQuery = queryOptions({
  queryKey: identityKeys.confirmation(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/account/confirmation", { signal })),
});

export const usersQuery = queryOptions({
  queryKey: identityKeys.users(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/users", { params: { query: { limit: 100 } }, signal })),
});

export const keysQuery = queryOptions({
  queryKey: identityKeys.keys(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/keys", { params: { query: { limit: 100 } }, signal })),
});

export const workspacesQuery = queryOptions({
  queryKey: identityKeys.workspaces(),
  queryFn: ({ signal }) =>
    call(client.GET("/api/v1/workspaces", { params: { query: { limit: 100 } }, signal })),
});

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: identityKeys.audit(filter),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      call(
        client.GET("/api/v1/audit", {
          params: { query: { ...asQuery(filter), ...clean({ limit: 50, cursor: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: (page) => (page.has_more ? page.next_cursor : undefined),
  });

/** Drops empty filters, so that an address never carries `actor=`. */
function clean<T extends Record<string, unknown>>(query: T): T {
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== ""),
  ) as T;
}

/** Days of the filter as the moments the server wants: the whole last day counts. */
function asQuery(filter: AuditFilter): AuditFilter {
  return clean({
    ...filter,
    since: filter.since && new Date(`${filter.since}T00:00:00`).toISOString(),
    until: filter.until && new Date(`${filter.until}T23:59:59.999`).toISOString(),
  });
}

/** The address of an export of what is filtered. */
export function auditExportUrl(filter: AuditFilter, format: "csv" | "jsonl"): string {
  const query = new URLSearchParams({ ...asQuery(filter), format } as Record<string, string>);
  return `/api/v1/audit/export?${query}`;
}

function keepMe(cache: QueryClient, me: Me) {
  cache.setQueryData(identityKeys.me(), me);
}

export function useSetup() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: SetupRequest) => call(client.POST("/api/v1/setup", { body })),
    onSuccess: (me) => keepMe(cache, me),
  });
}

export type SignInOutcome = { me: Me } | { totp: true };

/** Signs in. Needing a second step is an outcome, not a failure. */
export function useSignIn() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (body: SignInRequest): Promise<SignInOutcome> => {
      try {
        return { me: await call(client.POST("/api/v1/session", { body })) };
      } catch (error) {
        if (isCode(error, "totp_required")) return { totp: true };
        throw error;
      }
    },
    onSuccess: (outcome) => {
      if ("me" in outcome) keepMe(cache, outcome.me);
    },
  });
}

/** Signs in with any passkey that the browser has for this page. */
export function usePasskeySignIn() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const begun = await call(client.POST("/api/v1/session/passkey/begin"));
      const credential = await signWithPasskey(begun);
      return await call(client.POST("/api/v1/session/passkey", { body: { credential } }));
    },
    onSuccess: (me) => keepMe(cache, me),
  });
}

/** A change to something of this feature; the lists it touches are fetched again. */
function useChange<In, Out>(change: (input: In) => Promise<Out>, touches: readonly (readonly string[])[]) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all(touches.map((queryKey) => cache.invalidateQueries({ queryKey }))),
  });
}

export const useSaveProfile = () =>
  useChange(
    (body: { name?: string; email?: string }) => call(client.PATCH("/api/v1/account", { body })),
    [identityKeys.me()],
  );

export const useChangePassword = () =>
  useChange(
    (body: { current: string; new: string }) => call(client.POST("/api/v1/account/password", { body })),
    [identityKeys.sessions()],
  );

export const useTotpStart = () => useChange(() => call(client.POST("/api/v1/account/totp")), []);

export const useTotpConfirm = () =>
  useChange(
    (code: string) => call(client.PUT("/api/v1/account/totp", { body: { code } })),
    [identityKeys.me()],
  );

export const useTotpStop = () =>
  useChange(
    (password: string) => call(client.DELETE("/api/v1/account/totp", { body: { password } })),
    [identityKeys.me(), identityKeys.devices()],
  );

const ofPasskeys = [identityKeys.passkeys(), identityKeys.confirmation(), ["guard", "confirmation"]] as const;

export const useAddPasskey = () =>
  useChange(async ({ name, password }: { name: string; password: string }) => {
    const body = password ? { password } : {};
    const begun = await confirmed(() => call(client.POST("/api/v1/account/passkeys/begin", { body })));
    const credential = await makePasskey(begun);
    return await call(client.POST("/api/v1/account/passkeys", { body: { name, credential } }));
  }, ofPasskeys);

export const useRenamePasskey = () =>
  useChange(
    ({ id, name }: { id: string; name: string }) =>
      call(
        client.PATCH("/api/v1/account/passkeys/{passkey}", {
          params: { path: { passkey: id } },
          body: { name },
        }),
      ),
    ofPasskeys,
  );

export const useRemovePasskey = () =>
  useChange(
    (passkey: string) =>
      confirmed(() =>
        call(client.DELETE("/api/v1/account/passkeys/{passkey}", { params: { path: { passkey } } })),
      ),
    ofPasskeys,
  );

export const useSetConfirmation = () =>
  useChange(
    (approvals: boolean) =>
      confirmed(() => call(client.PUT("/api/v1/account/confirmation", { body: { approvals } }))),
    ofPasskeys,
  );

export const useEndSession = () =>
  useChange(
    (session: string) => call(client.DELETE("/api/v1/sessions/{session}", { params: { path: { session } } })),
    [identityKeys.sessions()],
  );

export const useForgetDevice = () =>
  useChange(
    (device: string) =>
      call(client.DELETE("/api/v1/account/devices/{device}", { params: { path: { device } } })),
    [identityKeys.devices()],
  );

export const useCreateUser = () =>
  useChange((body: NewUser) => call(client.POST("/api/v1/users", { body })), [identityKeys.users()]);

export const useSaveUser = () =>
  useChange(
    ({ id, ...body }: UserChange & { id: string }) =>
      call(client.PATCH("/api/v1/users/{user}", { params: { path: { user: id } }, body })),
    [identityKeys.users()],
  );

export const useRemoveUser = () =>
  useChange(
    (user: string) => call(client.DELETE("/api/v1/users/{user}", { params: { path: { user } } })),
    [identityKeys.users()],
  );

/** Takes what someone has lost away from their account, so that they can sign in without it. */
export const useResetFactor = () =>
  useChange(
    ({ user, factor }: { user: string; factor: "totp" | "passkeys" }) =>
      call(client.DELETE(`/api/v1/users/{user}/${factor}`, { params: { path: { user } } })),
    [identityKeys.users()],
  );

export const useCreateKey = () =>
  useChange((body: NewKey) => call(client.POST("/api/v1/keys", { body })), [identityKeys.keys()]);

export const useRotateKey = () =>
  useChange(
    ({ id, overlap }: { id: string; overlap: string }) =>
      call(client.POST("/api/v1/keys/{key}/rotate", { params: { path: { key: id } }, body: { overlap } })),
    [identityKeys.keys()],
  );

export const useRevokeKey = () =>
  useChange(
    (key: string) => call(client.DELETE("/api/v1/keys/{key}", { params: { path: { key } } })),
    [identityKeys.keys()],
  );

export const useCreateWorkspace = () =>
  useChange(
    (body: { name: string }) => call(client.POST("/api/v1/workspaces", { body })),
    [identityKeys.workspaces(), identityKeys.me()],
  );

export const useRenameWorkspace = () =>
  useChange(
    ({ id, name }: { id: string; name: string }) =>
      call(
        client.PATCH("/api/v1/workspaces/{workspace}", {
          params: { path: { workspace: id } },
          body: { name },
        }),
      ),
    [identityKeys.workspaces(), identityKeys.me()],
  );

export const useDeleteWorkspace = () =>
  useChange(
    (workspace: string) =>
      call(client.DELETE("/api/v1/workspaces/{workspace}", { params: { path: { workspace } } })),
    [identityKeys.workspaces(), identityKeys.me()],
  );

export const useVerifyAudit = () => useChange(() => call(client.GET("/api/v1/audit/verify")), []);
