import { describe, expect, it } from "vitest";
import type { LiveEvent } from "@/api/types";
import { gone, hear, type Visitor } from "./presence";

const said = (data: Partial<Visitor> & { left?: boolean }): LiveEvent =>
  ({ channel: "conversations/c1", kind: "conversations.presence", at: "", data }) as unknown as LiveEvent;

describe("who else looks", () => {
  it("hears of others, not of itself, and forgets who left or fell silent", () => {
    let list: readonly Visitor[] = [];
    list = hear(list, said({ window: "me", user: "u1", name: "Mira" }), "me", 0);
    expect(list).toEqual([]);
    list = hear(
      list,
      said({ window: "w2", user: "u2", name: "Jonas", device: "phone", typing: true }),
      "me",
      0,
    );
    list = hear(list, said({ window: "w3", user: "u3", name: "Ana" }), "me", 10);
    expect(list.map((one) => one.name)).toEqual(["Ana", "Jonas"]);
    expect(list[1]?.typing).toBe(true);
    list = hear(list, said({ window: "w2", user: "u2", name: "Jonas" }), "me", 20);
    expect(list[1]?.typing).toBeUndefined();
    list = hear(list, said({ window: "w2", left: true }), "me", 30);
    expect(list.map((one) => one.name)).toEqual(["Ana"]);
    list = hear(list, said({ window: "w4", user: "u4", name: "Tom" }), "me", gone + 11);
    expect(list.map((one) => one.name)).toEqual(["Tom"]);
  });
});
