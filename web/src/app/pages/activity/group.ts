import type { Run } from "@/api/types";
import { whatOf } from "@/features/guard/outcome";
import type { Approval } from "@/features/guard/queries";
import { byTime } from "@/lib/time";

/** One thing that happened: who, what, how often within the hour. */
export type Deed = {
  id: string;
  kind: "finished" | "failed" | "cancelled" | "started" | "approved" | "denied";
  /** The agent, or the person who answered. */
  who: string;
  n: number;
  at: string;
  /** The conversation or run it leads to, where it is one. */
  run?: string;
  conversation?: string;
  /** What was asked for or answered, where it is one thing. */
  what: string;
};

export type Hour = { at: string; deeds: Deed[] };

/** What happened, grouped by the hour and who did it: never a line for each event. The newest first. */
export function activityOf(runs: readonly Run[], approvals: readonly Approval[]): Hour[] {
  const deeds = new Map<string, Deed>();
  const add = (deed: Omit<Deed, "id" | "n">) => {
    const id = `${deed.at.slice(0, 13)} ${deed.who} ${deed.kind}`;
    const known = deeds.get(id);
    if (!known) deeds.set(id, { ...deed, id, n: 1 });
    else deeds.set(id, { ...known, n: known.n + 1, at: known.at > deed.at ? known.at : deed.at });
  };
  for (const run of runs) {
    if (run.parent) continue;
    const over = run.state === "finished" || run.state === "failed" || run.state === "cancelled";
    add({
      kind: over ? (run.state as Deed["kind"]) : "started",
      who: run.agent,
      at: (over ? run.finished_at : run.started_at) ?? run.created_at,
      run: run.id,
      conversation: run.conversation,
      what: run.title,
    });
  }
  for (const approval of approvals) {
    if (!approval.answered_at) continue;
    add({
      kind: approval.state === "denied" ? "denied" : "approved",
      who: approval.answered_by ?? "",
      at: approval.answered_at,
      what: whatOf(approval),
    });
  }
  const hours = new Map<string, Deed[]>();
  for (const deed of [...deeds.values()].sort((a, b) => byTime(b.at, a.at))) {
    const hour = deed.at.slice(0, 13);
    hours.set(hour, [...(hours.get(hour) ?? []), deed]);
  }
  return [...hours.values()].map((list) => ({ at: list[0]?.at ?? "", deeds: list }));
}
