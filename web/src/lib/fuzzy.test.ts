import { describe, expect, it } from "vitest";
import { fuzzy, rank } from "./fuzzy";

describe("fuzzy", () => {
  it("finds letters in order and says where", () => {
    expect(fuzzy("api", "API keys")?.at).toEqual([0, 1, 2]);
    expect(fuzzy("gts", "Go to settings")?.at).toEqual([0, 3, 6]);
  });

  it("finds nothing when a letter is missing or in the wrong order", () => {
    expect(fuzzy("xyz", "API keys")).toBeUndefined();
    expect(fuzzy("yek", "key")).toBeUndefined();
  });

  it("takes every text for an empty query", () => {
    expect(fuzzy("  ", "anything")).toEqual({ score: 0, at: [] });
  });
});

describe("rank", () => {
  const list = ["Big steps", "Settings", "Go to settings", "Workspaces", "Users and roles"];
  const of = (query: string) => rank(query, list, (text) => text).map(({ item }) => item);

  it("puts whole words and word starts first", () => {
    expect(of("sett")).toEqual(["Settings", "Go to settings"]);
    expect(of("gts")[0]).toBe("Go to settings");
    expect(of("ur")[0]).toBe("Users and roles");
  });

  it("keeps the order without a query", () => {
    expect(of("")).toEqual(list);
  });
});
