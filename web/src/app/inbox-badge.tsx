import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { pendingQuery } from "@/features/guard/queries";
import { recentRunsQuery } from "@/features/runs/queries";
import { count } from "@/lib/format";
import { shell } from "@/lib/messages/shell";
import { questionsOf } from "./pages/inbox/questions";
import { useCan } from "./session";

/** How many things need this person; nothing is said when there are none. */
export default function InboxBadge() {
  const can = useCan();
  const approvals = useQuery({ ...pendingQuery, enabled: can("guard:approve") });
  const runs = useQuery(recentRunsQuery);
  const questions = can("runs:write") ? questionsOf(runs.data?.data ?? []).length : 0;
  const n = (approvals.data?.data.length ?? 0) + questions;
  useEffect(() => {
    // The badge of the installed app; a browser without one does nothing.
    navigator.setAppBadge?.(n).catch(() => undefined);
  }, [n]);
  if (n === 0) return null;
  return (
    <span className="badge warn">
      <span aria-hidden="true">{count(n)}</span>
      <span className="sr-only">, {shell.needsYou(n)}</span>
    </span>
  );
}
