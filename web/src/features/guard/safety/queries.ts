import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { call, client } from "@/api/client";
import { isCode } from "@/api/errors";
import type { components, paths } from "@/api/schema";
import { guardKeys, noteApproval } from "../queries";

type Schemas = components["schemas"];
export type Allowance = Schemas["Allowance"];
export type NewAllowance = Schemas["AllowanceRequest"];
/** One call of a tool with its ruling, as the audit keeps it. */
export type GuardCall = Schemas["GuardCall"];
export type RuleCount = Schemas["RuleCount"];
export type Pack = Schemas["GuardPack"];
export type PackRule = Schemas["PackRule"];
export type Policy = Schemas["GuardPolicy"];
export type Ruling = Schemas["CommandRuling"];
export type Snapshot = Schemas["Snapshot"];
export type Plan = Schemas["UndoPlan"];
export type Answer = Schemas["ApprovalAnswerRequest"];
type Target = Schemas["UndoRequest"];

/** What narrows the audit. */
export type CallFilter = {
  since?: string;
  until?: string;
  verdict?: string;
  tool?: string;
  agent?: string;
  user?: string;
  run?: string;
  conversation?: string;
  rule?: string;
  door?: string;
  outcome?: string;
  feedback?: string;
};

/** Approvals that somebody answered or that ran out, the newest first. */
export const recentApprovalsQuery = queryOptions({
  queryKey: guardKeys.recent(),
  queryFn: async ({ signal }) => {
    const query = { limit: 50, kind: "ask" } as const;
    const page = await call(client.GET("/api/v1/guard/approvals", { params: { query }, signal }));
    return page.data.filter((one) => one.state !== "asked");
  },
});

/** Calls that were refused and that a person may let through the next time. */
export const exceptionsQuery = queryOptions({
  queryKey: [...guardKeys.approvals(), "exceptions"] as const,
  queryFn: async ({ signal }) => {
    const query = { limit: 50, kind: "exception", state: "asked" } as const;
    const page = await call(client.GET("/api/v1/guard/approvals", { params: { query }, signal }));
    return page.data.filter((one) => one.state === "asked");
  },
});

/** Approves or denies. Never shown before the server has said so. */
export function useAnswerApproval() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, ...body }: Answer & { id: string }) => {
      const send = () =>
        call(
          client.POST("/api/v1/guard/approvals/{approval}/answer", {
            params: { path: { approval: id } },
            body,
          }),
        );
      try {
        return await send();
      } catch (error) {
        // A dangerous yes may want a passkey first; most never do, so what asks for it is fetched then.
        if (!isCode(error, "confirm_with_passkey")) throw error;
        const { confirm } = await import("@/api/passkey");
        await confirm();
        return await send();
      }
    },
    onSuccess: (approval) => noteApproval(cache, approval),
    onError: (_, { id }) =>
      Promise.all([
        cache.invalidateQueries({ queryKey: guardKeys.approval(id) }),
        cache.invalidateQueries({ queryKey: guardKeys.pending() }),
      ]),
    onSettled: () =>
      cache.invalidateQueries({
        queryKey: guardKeys.approvals(),
        predicate: (query) => query.queryKey[2] !== "pending",
      }),
  });
}

/** What would be thought of a command. */
export const checkQuery = (command: string, folder: string) =>
  queryOptions({
    queryKey: ["guard", "check", command, folder] as const,
    queryFn: ({ signal }) =>
      call(
        client.POST("/api/v1/guard/check", {
          body: { command, ...(folder ? { folder } : {}) },
          signal,
        }),
      ),
    staleTime: 300_000,
    placeholderData: keepPreviousData,
    enabled: command.trim() !== "",
  });

export const packsQuery = queryOptions({
  queryKey: ["guard", "packs"] as const,
  queryFn: ({ signal }) => call(client.GET("/api/v1/guard/packs", { signal })),
  staleTime: 600_000,
});

export const ruleCountsQuery = queryOptions({
  queryKey: guardKeys.rules(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/guard/audit/rules", { signal })),
});

export const allowedQuery = infiniteQueryOptions({
  queryKey: guardKeys.allowed(),
  initialPageParam: undefined as string | undefined,
  queryFn: ({ signal, pageParam }) =>
    call(
      client.GET("/api/v1/guard/allowed", {
        params: { query: { limit: 100, ...(pageParam ? { cursor: pageParam } : {}) } },
        signal,
      }),
    ),
  getNextPageParam: (page) => (page.has_more ? page.next_cursor : undefined),
});

export function useAllow() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: NewAllowance) => call(client.POST("/api/v1/guard/allowed", { body })),
    onSettled: () => cache.invalidateQueries({ queryKey: guardKeys.allowed() }),
  });
}

export function useDisallow() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (allowance: string) =>
      call(client.DELETE("/api/v1/guard/allowed/{allowance}", { params: { path: { allowance } } })),
    onSettled: () => cache.invalidateQueries({ queryKey: guardKeys.allowed() }),
  });
}

type WireFilter = NonNullable<paths["/api/v1/guard/audit"]["get"]["parameters"]["query"]>;

export const callsQuery = (filter: CallFilter) =>
  infiniteQueryOptions({
    queryKey: [...guardKeys.calls(), filter] as const,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      call(
        client.GET("/api/v1/guard/audit", {
          params: {
            query: { ...(filter as WireFilter), limit: 100, ...(pageParam ? { cursor: pageParam } : {}) },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => (page.has_more ? page.next_cursor : undefined),
    placeholderData: keepPreviousData,
  });

export const callQuery = (id: string) =>
  queryOptions({
    queryKey: ["guard", "call", id] as const,
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/guard/audit/{call}", { params: { path: { call: id } }, signal })),
  });

/** Where the calls of a filter can be had as a file. */
export function exportUrl(filter: CallFilter, format: "csv" | "jsonl"): string {
  return `/api/v1/guard/audit/export?${new URLSearchParams({ ...filter, format })}`;
}

export function useFeedback() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, feedback }: { id: string; feedback: "wrong" | "right" }) =>
      call(client.POST("/api/v1/guard/feedback", { body: { call: id, feedback } })),
    onSuccess: (row) => cache.setQueryData(["guard", "call", row.id], row),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: guardKeys.calls() }),
        cache.invalidateQueries({ queryKey: guardKeys.rules() }),
      ]),
  });
}

function usePolicyChange<In>(change: (input: In) => Promise<Policy>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (policy) => cache.setQueryData(guardKeys.policy(), policy),
  });
}

export const useSavePolicy = () =>
  usePolicyChange((body: Policy) => call(client.PUT("/api/v1/guard/policy", { body })));

export const useResetPolicy = () => usePolicyChange(() => call(client.DELETE("/api/v1/guard/policy")));

export const snapshotsQuery = (run: string) =>
  infiniteQueryOptions({
    queryKey: [...guardKeys.snapshots(), run] as const,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      call(
        client.GET("/api/v1/guard/snapshots", {
          params: {
            query: { limit: 100, ...(run ? { run } : {}), ...(pageParam ? { cursor: pageParam } : {}) },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => (page.has_more ? page.next_cursor : undefined),
  });

/** What an undo would do. Never kept: the files may have changed since. */
export const previewQuery = (target: Target) =>
  queryOptions({
    queryKey: ["guard", "undo", target] as const,
    queryFn: ({ signal }) => call(client.POST("/api/v1/guard/undo/preview", { body: target, signal })),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

export function useUndo() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (target: Target) => call(client.POST("/api/v1/guard/undo", { body: target })),
    onSettled: () => cache.invalidateQueries({ queryKey: guardKeys.snapshots() }),
  });
}
