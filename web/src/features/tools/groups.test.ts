import { expect, test } from "vitest";
import { groupsOf, nameOf } from "./groups";
import type { Tool } from "./queries";

const tool = (name: string, origin: string) => ({ name, origin }) as Tool;

test("tools stand by where they come from, our own first and second names last", () => {
  const list = [
    tool("_read_graph", "memory/underscore"),
    tool("notes_read", "mcp/notes"),
    tool("read_file", "builtin"),
    tool("read_graph", "memory"),
    tool("git_log", "mcp/git"),
    tool("ask_user", "builtin"),
  ];
  expect(groupsOf(list).map(({ origin, list }) => [nameOf(origin), list.map(({ name }) => name)])).toEqual([
    ["Built in", ["read_file", "ask_user"]],
    ["Memory", ["read_graph"]],
    ["git", ["git_log"]],
    ["notes", ["notes_read"]],
    ["Memory, by the names of other programs", ["_read_graph"]],
  ]);
});
