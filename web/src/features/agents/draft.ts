import type { Agent } from "@/api/types";
import { dollar, parseMoney } from "@/lib/money";
import type { AgentChange } from "./queries";

/** What the form holds: everything as text, as it is typed. */
export type Draft = {
  title: string;
  description: string;
  model: string;
  instructions: string;
  persona: string;
  allow: string;
  deny: string;
  helpers: string;
  recall: boolean;
  remember: boolean;
  turns: string;
  calls: string;
  money: string;
};

const lines = (list: readonly string[] | undefined) => (list ?? []).join("\n");

/** Patterns are separated by lines, spaces or commas. */
export const patterns = (text: string) => text.split(/[\s,]+/).filter(Boolean);

const number = (n: number | undefined) => (n ? String(n) : "");

export function draftOf(agent: Agent): Draft {
  return {
    title: agent.title,
    description: agent.description,
    model: agent.model,
    instructions: agent.instructions,
    persona: agent.persona ?? "",
    allow: lines(agent.tools.allow),
    deny: lines(agent.tools.deny),
    helpers: lines(agent.helpers),
    recall: agent.memory.recall,
    remember: agent.memory.remember,
    turns: number(agent.limits.turns),
    calls: number(agent.limits.tool_calls),
    money: agent.limits.money_micros ? String(agent.limits.money_micros / dollar) : "",
  };
}

/** What is to be changed: only what differs from the agent, so that two people can edit different fields. */
export function changeOf(agent: Agent, draft: Draft): AgentChange {
  const before = draftOf(agent);
  const is = (key: keyof Draft) => draft[key] !== before[key];
  const change: AgentChange = {};
  if (is("title")) change.title = draft.title.trim();
  if (is("description")) change.description = draft.description.trim();
  if (is("model")) change.model = draft.model.trim();
  if (is("instructions")) change.instructions = draft.instructions;
  if (is("persona")) change.persona = draft.persona;
  if (is("allow") || is("deny")) change.tools = { allow: patterns(draft.allow), deny: patterns(draft.deny) };
  if (is("helpers")) change.helpers = patterns(draft.helpers);
  if (is("recall") || is("remember")) change.memory = { recall: draft.recall, remember: draft.remember };
  if (is("turns") || is("calls") || is("money")) {
    change.limits = {
      turns: Number(draft.turns) || 0,
      tool_calls: Number(draft.calls) || 0,
      money_micros: parseMoney(draft.money) ?? 0,
    };
  }
  return change;
}
