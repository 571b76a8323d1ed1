import { expect, test } from "vitest";
import type { Agent } from "@/api/types";
import { changeOf, draftOf } from "./draft";
import { fields, groups, schemaOf } from "./schema";

const agent: Agent = {
  name: "coder",
  title: "Coder",
  description: "Writes code.",
  model: "",
  params: {},
  instructions: "Write code.",
  tools: { allow: ["read_*", "edit_file"], deny: [] },
  helpers: [],
  memory: { recall: true, remember: false },
  driver: "native",
  limits: { turns: 20 },
  hue: "azure",
  origin: "preset",
  version: 0,
};

test("an untouched form changes nothing", () => {
  expect(changeOf(agent, draftOf(agent))).toEqual({});
});

test("only what was touched is sent, without empty rows", () => {
  const draft = { ...draftOf(agent), title: " Builder " };
  expect(changeOf(agent, { ...draft, tools: { allow: ["read_*", " git_* ", ""], deny: [] } })).toEqual({
    title: "Builder",
    tools: { allow: ["read_*", "git_*"], deny: [] },
  });
});

test("limits travel in the units of the API", () => {
  const draft = draftOf({ ...agent, limits: { turns: 20, time_ns: 90_000_000_000, money_micros: 500_000 } });
  expect(draft.limits).toEqual({ turns: 20, minutes: 1.5, dollars: 0.5 });
  expect(changeOf(agent, { ...draftOf(agent), limits: { turns: 20, minutes: 2, dollars: 1.5 } })).toEqual({
    limits: { turns: 20, time_ns: 120_000_000_000, money_micros: 1_500_000 },
  });
});

test("every field stands in one part of the form", () => {
  const shown = groups.flatMap(({ id }) => Object.keys(schemaOf(id).properties ?? {}));
  expect(shown.sort()).toEqual(Object.keys(fields).sort());
  expect(Object.keys(draftOf(agent)).sort()).toEqual(Object.keys(fields).sort());
});
