import { expect, test } from "vitest";
import type { Agent } from "@/api/types";
import { changeOf, draftOf, patterns } from "./draft";

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

test("only what was touched is sent", () => {
  expect(
    changeOf(agent, { ...draftOf(agent), title: " Builder ", allow: "read_*, write_file\n\ngit_*" }),
  ).toEqual({
    title: "Builder",
    tools: { allow: ["read_*", "write_file", "git_*"], deny: [] },
  });
  expect(changeOf(agent, { ...draftOf(agent), money: "1.50" })).toEqual({
    limits: { turns: 20, tool_calls: 0, money_micros: 1_500_000 },
  });
});

test("patterns may be separated in any usual way", () => {
  expect(patterns(" a,b  c\nd ")).toEqual(["a", "b", "c", "d"]);
});
