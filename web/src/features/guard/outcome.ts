import { guard } from "@/lib/messages/guard";
import { clockTime } from "@/lib/time";
import type { Approval } from "./queries";

const words = guard.outcome;

/** What became of an approval, as a sentence: "Approved by Mira on phone, 12:43." */
export function outcomeOf(approval: Approval, user: (id: string | undefined) => string): string {
  const by = user(approval.answered_by) || words.somebody;
  const when = `${words.via[approval.answered_via ?? ""] ?? ""}, ${clockTime(approval.answered_at)}`;
  const said = approval.words ? ` ${words.said(approval.words)}` : "";
  switch (approval.state) {
    case "approved":
      return `${words.approved(by, when)}${scopeOf(approval)}${said}`;
    case "used":
      return `${words.approved(by, when)}${scopeOf(approval)} ${words.ran}${said}`;
    case "denied":
      return `${words.denied(by, when)}${said}`;
    default:
      if (approval.answered_at) return `${words.approved(by, when)} ${words.unused}`;
      return approval.words ? approval.words : words.expired;
  }
}

function scopeOf({ scope }: Approval): string {
  const text = scope && scope !== "once" ? words.scopes[scope] : undefined;
  return text ? ` ${text}` : "";
}
