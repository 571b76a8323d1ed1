import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import { renew, take } from "@/api/news";
import type { components } from "@/api/schema";
import type { LiveEvent, Page } from "@/api/types";

/** A question to a person about one exact call. */
export type Approval = components["schemas"]["Approval"];

export const guardKeys = {
  all: ["guard"] as const,
  approvals: () => ["guard", "approvals"] as const,
  pending: () => ["guard", "approvals", "pending"] as const,
  recent: () => ["guard", "approvals", "recent"] as const,
  approval: (id: string) => ["guard", "approval", id] as const,
  allowed: () => ["guard", "allowed"] as const,
  calls: () => ["guard", "calls"] as const,
  rules: () => ["guard", "rules"] as const,
  policy: () => ["guard", "policy"] as const,
  confirmation: () => ["guard", "confirmation"] as const,
  snapshots: () => ["guard", "snapshots"] as const,
};

/** What waits for a person, the newest first. */
export const pendingQuery = queryOptions({
  queryKey: guardKeys.pending(),
  queryFn: async ({ signal }): Promise<Page<Approval>> => {
    const query = { state: "asked", kind: "ask", limit: 200 } as const;
    const page = await call(client.GET("/api/v1/guard/approvals", { params: { query }, signal }));
    return { ...page, data: page.data.filter((one) => one.state === "asked") };
  },
});

/** How carefully agents are watched. */
export const policyQuery = queryOptions({
  queryKey: guardKeys.policy(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/guard/policy", { signal })),
});

/** Whether this person's approvals are confirmed with a passkey. */
export const confirmationQuery = queryOptions({
  queryKey: guardKeys.confirmation(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/account/confirmation", { signal })),
  staleTime: 60_000,
});

export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: guardKeys.approval(id),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/guard/approvals/{approval}", { params: { path: { approval: id } }, signal })),
  });

/** Puts an approval where it is shown; one that is no longer asked leaves the list of those that wait. */
export function noteApproval(cache: QueryClient, approval: Approval): void {
  const queryKey = guardKeys.approval(approval.id);
  cache.setQueryData(queryKey, approval);
  take(cache, { queryKey }, () => approval);
  if (approval.state !== "asked") drop(cache, approval.id);
}

function drop(cache: QueryClient, id: string): void {
  take<Page<Approval>>(cache, { queryKey: guardKeys.pending() }, (page) => ({
    ...page,
    data: page.data.filter((one) => one.id !== id),
  }));
}

/** Patches what is shown with what guard says. Facts can come again, so an old one changes nothing. */
export function applyGuardEvent(cache: QueryClient, event: LiveEvent): void {
  const again = (queryKey: readonly string[]) => renew(cache, { queryKey });
  const id = event.data.approval;
  switch (event.kind) {
    case "guard.asked":
      if (typeof id === "string" && !cache.getQueryData(guardKeys.approval(id))) again(guardKeys.pending());
      break;
    case "guard.answered":
    case "guard.expired":
    case "guard.withdrawn":
      if (typeof id === "string") answered(cache, id, event);
      again(guardKeys.recent());
      break;
    case "guard.allowed":
    case "guard.disallowed":
      again(guardKeys.allowed());
      break;
    case "guard.refused":
      again(guardKeys.calls());
      break;
    case "guard.policy_changed":
      again(guardKeys.policy());
  }
}

const patienceMs = 2000;
let taken: number[] = [];

/** Tells the server that facts arrived, a few at a time; else they are sent again with every connection. */
export function acknowledge(cursor: number): void {
  if (taken.push(cursor) > 1) return;
  setTimeout(() => {
    const cursors = taken;
    taken = [];
    // Without an answer they come again, which changes nothing.
    call(client.POST("/api/v1/events/acks", { body: { cursors } })).catch(() => undefined);
  }, patienceMs);
}

function answered(cache: QueryClient, id: string, event: LiveEvent): void {
  const queryKey = guardKeys.approval(id);
  const asked = cache.getQueryData<Page<Approval>>(guardKeys.pending())?.data.find((one) => one.id === id);
  if (asked && !cache.getQueryData(queryKey)) cache.setQueryData(queryKey, asked);
  take<Approval>(cache, { queryKey }, (known) => settled(known, event));
  drop(cache, id);
}

/** An approval after what was said about it. An answer stands; what was approved can still run out. */
function settled(known: Approval, { kind, at, data }: LiveEvent): Approval {
  const fact = data as { state?: string; by?: string; via?: string; words?: string; scope?: string };
  if (kind !== "guard.answered") {
    const over = known.state !== "asked" && known.state !== "approved";
    const why = fact.words ? { words: fact.words } : {};
    return over ? known : { ...known, state: kind.slice("guard.".length), ...why };
  }
  if (known.state !== "asked") return known;
  return {
    ...known,
    state: fact.state ?? "denied",
    answered_at: at,
    ...(fact.by ? { answered_by: fact.by } : {}),
    ...(fact.via ? { answered_via: fact.via } : {}),
    ...(fact.words ? { words: fact.words } : {}),
    ...(fact.scope ? { scope: fact.scope } : {}),
  };
}
