import { guard } from "@/lib/messages/guard";
import { clockTime } from "@/lib/time";
import type { Approval } from "./queries";

const words = guard.outcome;

/** What became of an approval, as a sentence: "Approved by Mira on phone, 12:43." */
export function outcomeOf(approval: Approval, user: (id: string | undefined) => string): string {
  const by = user(approval.answered_by) || words.somebody;
  const when = `${words.via[approval.answered_via ?? ""] ?? ""}, ${clockTime(approval.answered_at)}`;
  const said = approval.words ? ` ${words.said(approval.words)}` : "";
  const money = approval.kind === "budget";
  switch (approval.state) {
    case "approved":
      return `${words.approved(by, when)}${scopeOf(approval)}${said}`;
    case "used":
      return `${words.approved(by, when)}${scopeOf(approval)} ${money ? words.wentOn : words.ran}${said}`;
    case "denied":
      return `${words.denied(by, when)}${said}`;
    case "withdrawn":
      return words.withdrawn(approval.words ?? "");
    default:
      if (approval.answered_at) return `${words.approved(by, when)} ${words.unused}`;
      return approval.words || (money ? words.ended : words.expired);
  }
}

/** What an approval is about, in one line. */
export function whatOf({ kind, command, tool }: Approval): string {
  return kind === "budget" ? guard.card.budgetOver : command || tool;
}

function scopeOf({ scope }: Approval): string {
  const text = scope && scope !== "once" ? words.scopes[scope] : undefined;
  return text ? ` ${text}` : "";
}
