import { describe, expect, it } from "vitest";
import { drafts, nextOf, type Outgoing, outbox } from "./outbox";

const item = (
  key: string,
  conversation: string | undefined,
  state: Outgoing["state"] = "waiting",
): Outgoing => ({
  key,
  conversation,
  agent: "assistant",
  text: key,
  at: "2026-11-15T00:00:00Z",
  state,
});

describe("the outbox", () => {
  it("sends the oldest message of a conversation first", () => {
    const list = [item("a", "c1"), item("b", "c2"), item("c", "c1")];
    expect(nextOf(list, "c1")?.key).toBe("a");
    expect(nextOf(list, "c2")?.key).toBe("b");
    expect(nextOf(list, "c3")).toBeUndefined();
  });

  it("lets nothing overtake a message that is under way or failed", () => {
    expect(nextOf([item("a", "c1", "sending"), item("b", "c1")], "c1")).toBeUndefined();
    expect(nextOf([item("a", "c1", "failed"), item("b", "c1")], "c1")).toBeUndefined();
  });

  it("keeps messages and drafts on the device until they are forgotten", () => {
    const made = outbox.add({ conversation: undefined, agent: "assistant", text: "hello" });
    drafts.write("c1", "half a sen");
    expect(made.key).toMatch(/^[0-9a-f]{32}$/);
    expect(localStorage.getItem("fluxway.outbox")).toContain("hello");
    expect(drafts.read("c1")).toBe("half a sen");
    outbox.forget();
    expect(outbox.all()).toEqual([]);
    expect(drafts.read("c1")).toBe("");
  });
});

describe("while an answer is being written", () => {
  it("sends only what is meant for it", () => {
    const list = [item("a", "c1"), { ...item("b", "c1"), mode: "steer" as const }];
    expect(nextOf(list, "c1", true)?.key).toBe("b");
    expect(nextOf(list, "c1", false)?.key).toBe("a");
    expect(nextOf([item("a", "c1")], "c1", true)).toBeUndefined();
  });

  it("keeps the files of a draft", () => {
    const file = { id: "att_1", name: "a.txt", media_type: "text/plain", size: 3 };
    drafts.keepFiles("c9", [file]);
    expect(drafts.files("c9")).toEqual([file]);
    drafts.keepFiles("c9", []);
    expect(drafts.files("c9")).toEqual([]);
  });
});
