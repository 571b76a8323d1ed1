import type { LiveEvent, Run } from "@/api/types";
import { outcomeOf, whatOf } from "@/features/guard/outcome";
import type { Approval } from "@/features/guard/queries";
import type { Line } from "@/features/inbox/list";
import { inbox } from "@/lib/messages/inbox";
import { byTime } from "@/lib/time";
import type { Question } from "./questions";

/** The runs of two lists, each once; the first list knows better. */
export function joined(first: readonly Run[], second: readonly Run[]): Run[] {
  const known = new Set(first.map((run) => run.id));
  return [...first, ...second.filter((run) => !known.has(run.id))];
}

/** Failed runs that nobody has tried again or put away. */
export function failuresOf(failed: readonly Run[], recent: readonly Run[], away: readonly string[]): Run[] {
  const newest = new Map<string, string>();
  for (const run of [...recent, ...failed])
    if (!run.parent && byTime(run.created_at, newest.get(run.conversation) ?? "") > 0)
      newest.set(run.conversation, run.created_at);
  return failed.filter(
    (run) => !run.parent && !away.includes(run.id) && newest.get(run.conversation) === run.created_at,
  );
}

type Names = { agent: (name: string) => string; user: (id: string | undefined) => string };

export function approvalLine(approval: Approval, names: Names): Line {
  const agent = approval.agent ? names.agent(approval.agent) : inbox.anAgent;
  return {
    id: `approval:${approval.id}`,
    kind: approval.kind === "budget" ? "budget" : "approval",
    title: asked(approval, agent),
    from: approval.reason,
    at: approval.asked_at,
  };
}

function asked({ kind, command, tool }: Approval, agent: string): string {
  if (kind === "budget") return inbox.asksMoney(agent);
  return command ? inbox.asks(agent, command) : inbox.asksTool(agent, tool);
}

/** The same once it is answered: it says who answered what. */
export function answeredLine(approval: Approval, names: Names): Line {
  return {
    ...approvalLine(approval, names),
    title: whatOf(approval),
    from: outcomeOf(approval, names.user),
    at: approval.answered_at ?? approval.asked_at,
  };
}

export function questionLine({ run, need }: Question, names: Names): Line {
  return {
    id: `question:${need.run}:${need.call}`,
    kind: "question",
    title: need.question,
    from: inbox.questionOf(names.agent(run.agent)),
    at: run.started_at ?? run.created_at,
  };
}

export function failureLine(run: Run, names: Names): Line {
  return {
    id: `failed:${run.id}`,
    kind: "failed",
    title: run.title || inbox.failedTitle,
    from: `${names.agent(run.agent)}: ${run.error?.message ?? inbox.failedUnknown}`,
    at: run.finished_at ?? run.created_at,
  };
}

/** What is said about a comment that concerns a person. */
export type MentionFact = {
  comment: { id: string; conversation: string; message: string; user: string; text: string };
  title: string;
};

/** Comments that concern this person, but for those that were taken back. */
export function mentionsOf(notices: readonly LiveEvent[]): LiveEvent[] {
  const gone = new Set(
    notices
      .filter(({ kind }) => kind === "conversations.comment_deleted")
      .map(({ data }) => (data as { id: string }).id),
  );
  return notices.filter(
    ({ kind, data }) => kind === "conversations.mentioned" && !gone.has((data as MentionFact).comment.id),
  );
}

export function mentionLine(event: LiveEvent, names: Names): Line {
  const { comment, title } = event.data as MentionFact;
  return {
    id: `mention:${event.cursor}`,
    kind: "mention",
    title: comment.text,
    from: inbox.mentionBy(names.user(comment.user), title),
    at: event.at,
  };
}

/** The lines that are not put off. */
export const awake = (lines: readonly Line[], off: Record<string, number>): Line[] =>
  lines.filter((line) => off[line.id] === undefined);

/** What the facts about a budget say. */
export type BudgetFact = {
  budget: string;
  name?: string;
  unit?: string;
  limit: number;
  spent: number;
  percent?: number;
  resets_at?: string;
};

/** Notices about budgets, the newest of each budget only: a later one says more. */
export function budgetNotices(notices: readonly LiveEvent[]): LiveEvent[] {
  const last = new Map<string, LiveEvent>();
  for (const event of notices)
    if (event.kind.startsWith("costs.budget_")) last.set((event.data as BudgetFact).budget, event);
  return [...last.values()];
}

export function budgetLine(event: LiveEvent): Line {
  const fact = event.data as BudgetFact;
  const name = fact.name || inbox.aBudget;
  return {
    id: `budget:${event.cursor}`,
    kind: "budget",
    title:
      event.kind === "costs.budget_exceeded"
        ? inbox.budgetExceeded(name)
        : inbox.budgetWarned(name, fact.percent ?? 0),
    from: inbox.kinds.budget,
    at: event.at,
  };
}

export const newestFirst = (lines: readonly Line[]) => [...lines].sort((a, b) => byTime(b.at, a.at));
