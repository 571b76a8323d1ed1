import { describe, expect, it } from "vitest";
import { find, type Item } from "./commands";

const item = (id: string, group: Item["group"], text: string, also?: string): Item => ({
  id,
  group,
  text,
  run: () => {},
  ...(also ? { also } : {}),
});
const items = [
  item("new", "actions", "New chat"),
  item("dark", "actions", "Use the dark theme"),
  item("go:/chat", "go", "Chat"),
  item("conv_1", "chats", "Budget service: race on period reset"),
  item("settings:keys", "settings", "API keys", "Keys let programs use the API in your name."),
  item("help:c", "help", "New chat"),
];
const ids = (text: string, recent: string[] = []) =>
  find(text, items, recent).flatMap((section) => section.rows.map((row) => row.item.id));

describe("the palette", () => {
  it("shows actions, pages, chats and settings, and help only when asked", () => {
    expect(ids("")).toEqual(["new", "dark", "go:/chat", "conv_1", "settings:keys"]);
    expect(ids("?")).toEqual(["help:c"]);
    expect(ids("? chat")).toEqual(["help:c"]);
  });

  it("narrows to actions with >", () => {
    expect(ids(">")).toEqual(["new", "dark"]);
    expect(ids(">dark")).toEqual(["dark"]);
  });

  it("finds by scattered letters and by other words", () => {
    expect(ids("bsr")[0]).toBe("conv_1");
    expect(ids("programs")).toEqual(["settings:keys"]);
    expect(ids("zzz")).toEqual([]);
  });

  it("puts the best group first", () => {
    expect(find("api", items, [])[0]?.rows[0]?.item.id).toBe("settings:keys");
  });

  it("starts with what was chosen lately, if it still exists", () => {
    expect(ids("", ["conv_1", "gone"])[0]).toBe("recent:conv_1");
  });

  it("marks only letters of the text itself", () => {
    const row = find("programs", items, [])[0]?.rows[0];
    expect(row?.at.every((i) => i < (row.item.text.length ?? 0))).toBe(true);
  });
});
