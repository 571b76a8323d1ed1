import type { Agent } from "@/api/types";
import { filled } from "@/lib/json-schema";
import { dollar } from "@/lib/money";
import type { AgentChange } from "./queries";

type Change = Required<Omit<AgentChange, "version" | "driver" | "limits">>;

/** Limits in the units people think in. */
type Limits = Omit<NonNullable<AgentChange["limits"]>, "time_ns" | "money_micros"> & {
  minutes?: number;
  dollars?: number;
};

/** What the form holds: every field of an agent that can be changed. */
export type Draft = { [K in keyof Change]: Change[K] } & { limits: Limits };

const minute = 60_000_000_000;

export function draftOf(agent: Agent): Draft {
  const { time_ns, money_micros, ...limits } = agent.limits;
  return {
    title: agent.title,
    description: agent.description,
    instructions: agent.instructions,
    persona: agent.persona ?? "",
    model: agent.model,
    params: { ...agent.params },
    tools: { allow: [...agent.tools.allow], deny: [...agent.tools.deny] },
    helpers: [...agent.helpers],
    memory: { ...agent.memory },
    limits: {
      ...limits,
      ...(time_ns ? { minutes: time_ns / minute } : {}),
      ...(money_micros ? { dollars: money_micros / dollar } : {}),
    },
    users: [...(agent.users ?? [])],
    hue: agent.hue as Draft["hue"],
  };
}

const same = (a: unknown, b: unknown) => JSON.stringify(filled(a)) === JSON.stringify(filled(b));

/** What is to be changed: only what differs from the agent, so that two people can edit different fields. */
export function changeOf(agent: Agent, draft: Draft): AgentChange {
  const before = draftOf(agent);
  const changed = (Object.keys(before) as (keyof Draft)[]).filter((key) => !same(before[key], draft[key]));
  return Object.fromEntries(changed.map((key) => [key, wire(key, draft[key])]));
}

/** A field as it is sent: an empty row is none, and limits are in the units of the API. */
function wire(key: keyof Draft, value: unknown): unknown {
  if (key === "limits") {
    const { minutes, dollars, ...rest } = value as Limits;
    return {
      ...rest,
      ...(minutes === undefined ? {} : { time_ns: Math.round(minutes * minute) }),
      ...(dollars === undefined ? {} : { money_micros: Math.round(dollars * dollar) }),
    };
  }
  if (Array.isArray(value)) return value.map((one) => String(one).trim()).filter(Boolean);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, Array.isArray(one) ? wire("helpers", one) : one]),
    );
  return typeof value === "string" && key !== "instructions" ? value.trim() : value;
}
