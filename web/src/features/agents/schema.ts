import type { Schema } from "@/lib/json-schema";
import { agents as words } from "@/lib/messages/agents";
import type { Draft } from "./draft";

const text = (title: string, more: Schema = {}): Schema => ({ type: "string", title, ...more });
const whole = (title: string): Schema => ({ type: "integer", title, minimum: 0 });
const names = (title: string, description: string): Schema => ({
  type: "array",
  title,
  description,
  items: { type: "string" },
});

type Group = "behaviour" | "abilities" | "limits" | "model" | "access";

/**
 * What the form of an agent is drawn from. Every field of a draft has an entry, so that one that is added to
 * the API cannot be forgotten here.
 */
export const fields: { [K in keyof Draft]: Schema & { group: Group } } = {
  title: { group: "behaviour", ...text(words.displayTitle, { maxLength: 100 }) },
  description: {
    group: "behaviour",
    ...text(words.description, { description: words.descriptionHelp, format: "multiline" }),
  },
  instructions: { group: "behaviour", ...text(words.instructions, { format: "multiline" }) },
  persona: {
    group: "behaviour",
    ...text(words.persona, { description: words.personaHelp, format: "multiline" }),
  },
  model: { group: "model", ...text(words.model, { description: words.modelHelp }) },
  params: {
    group: "model",
    type: "object",
    title: words.params,
    properties: {
      temperature: { type: "number", title: words.temperature, minimum: 0, maximum: 2 },
      top_p: { type: "number", title: words.topP, minimum: 0, maximum: 1 },
      max_tokens: whole(words.maxTokens),
      effort: { title: words.effort, enum: ["low", "medium", "high"] },
    },
  },
  tools: {
    group: "abilities",
    type: "object",
    title: words.toolsTitle,
    properties: {
      allow: names(words.tools, words.toolsHelp),
      deny: names(words.denied, words.deniedHelp),
    },
  },
  helpers: { group: "abilities", ...names(words.helpers, words.helpersHelp) },
  memory: {
    group: "abilities",
    type: "object",
    title: words.memory,
    properties: {
      recall: { type: "boolean", title: words.recall },
      remember: { type: "boolean", title: words.remember },
      knowledge: names(words.knowledge, words.knowledgeHelp),
    },
  },
  limits: {
    group: "limits",
    type: "object",
    title: words.limits,
    description: words.limitsHelp,
    properties: {
      turns: whole(words.turns),
      tool_calls: whole(words.calls),
      helpers: whole(words.helperLimit),
      depth: whole(words.depth),
      minutes: { type: "number", title: words.minutes, minimum: 0 },
      dollars: { type: "number", title: words.money, minimum: 0 },
      window: whole(words.window),
    },
  },
  users: { group: "access", ...names(words.users, words.usersHelp) },
  hue: {
    group: "access",
    title: words.hue,
    enum: ["iris", "azure", "teal", "green", "lime", "amber", "coral", "pink"],
  },
};

/** The schema of one part of the form. */
export function schemaOf(group: Group): Schema {
  const mine = Object.entries(fields).filter(([, field]) => field.group === group);
  return { type: "object", properties: Object.fromEntries(mine) };
}

/** The parts of the form, in order. */
export const groups: readonly { id: Group; title: string }[] = [
  { id: "behaviour", title: words.behaviour },
  { id: "abilities", title: words.abilities },
  { id: "model", title: words.modelTitle },
  { id: "limits", title: words.limits },
  { id: "access", title: words.access },
];
