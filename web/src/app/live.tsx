import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { renew } from "@/api/news";
import { applyConversationEvent } from "@/features/conversations/queries";
import { identityKeys } from "@/features/identity/me/queries";
import { applyRunEvent } from "@/features/runs/queries";
import { readVersion, systemKeys } from "@/features/system/queries";
import { common } from "@/lib/messages/common";
import { shell } from "@/lib/messages/shell";
import { arrive } from "@/lib/on-demand";
import { Live } from "@/live/live";
import { LiveProvider, useEvents, useLiveState } from "@/live/react";
import { toast } from "@/ui/toast";
import { useMe } from "./session";

/** One connection for the tab, for as long as the workspace stays the same. */
export function LiveRoot({ children }: { children: ReactNode }) {
  const cache = useQueryClient();
  const { workspace } = useMe();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another workspace has another log, so it gets another connection
  const live = useMemo(
    () =>
      new Live({
        base: location.origin,
        onStale: () => void cache.invalidateQueries(),
        onRefused: () => void cache.invalidateQueries({ queryKey: identityKeys.me() }),
      }),
    [cache, workspace.id],
  );
  return (
    <LiveProvider live={live}>
      <Wiring />
      <VersionCheck />
      {children}
    </LiveProvider>
  );
}

const costsLive = () => arrive(() => import("@/features/costs/live"));
const guardLive = () => arrive(() => import("@/features/guard/queries"));
const jobsLive = () => arrive(() => import("@/features/jobs/queries"));
const inboxLive = () => arrive(() => import("@/features/inbox/queries"));

// Patterns rather than names: a name that the role may not follow refuses the whole subscription.
const shellChannels = [
  "conversations/*",
  "costs/**",
  "jobs/*",
  "identity/**",
  "system/**",
  "approvals/**",
  "guard/**",
  "notifications/**",
] as const;

/** Patches the cache with what happens anywhere in the workspace. */
function Wiring() {
  const cache = useQueryClient();
  useEvents(shellChannels, (event) => {
    const [part] = event.kind.split(".");
    if (event.channel.startsWith("notifications/")) {
      void inboxLive().then((module) => module.noteNotice(cache, event));
      return;
    }
    if (part === "guard")
      void guardLive().then((module) => {
        module.applyGuardEvent(cache, event);
        if (event.channel === "approvals" && event.cursor) module.acknowledge(event.cursor);
      });
    if (part === "conversations" || part === "runs") applyConversationEvent(cache, event);
    if (part === "runs") applyRunEvent(cache, event);
    if (part === "costs") void costsLive().then((module) => module.applyCostsEvent(cache, event));
    if (part === "jobs") void jobsLive().then((module) => module.applyJobEvent(cache, event));
    if (part === "identity") renew(cache, { queryKey: identityKeys.all });
    if (part === "system") renew(cache, { queryKey: systemKeys.all });
  });
  return null;
}

/** After each connect: is it still the server whose page this is? Reloading is offered, never forced. */
function VersionCheck() {
  const [{ phase }] = useLiveState();
  const first = useRef<string>(undefined);
  useEffect(() => {
    if (phase !== "open") return;
    let current = true;
    void readVersion().then((version) => {
      if (!current || !version) return;
      first.current ??= version;
      if (first.current === version) return;
      first.current = version;
      const words = shell.newVersion;
      toast.info(
        words.title,
        words.body,
        { label: common.actions.reload, run: () => location.reload() },
        true,
      );
    });
    return () => {
      current = false;
    };
  }, [phase]);
  return null;
}
