import { describe, expect, it } from "vitest";
import type { Message } from "@/api/types";
import { branches, branchOff, type Messages, ordered, textOf, upsert } from "./patch";

const message = (id: string, at: string, text = id): Message => ({
  id,
  conversation: "c1",
  role: "user",
  author: "usr_1",
  state: "complete",
  parts: [
    { kind: "text", text },
    { kind: "image", url: "/x" },
  ],
  created_at: at,
});
const pages = (...lists: Message[][]): Messages => ({
  pages: lists.map((data) => ({ data, has_more: false })),
  pageParams: lists.map(() => undefined),
});

describe("messages in the cache", () => {
  const a = message("msg_a", "2026-11-15T00:00:01Z");
  const b = message("msg_b", "2026-11-15T00:00:02Z");
  const c = message("msg_c", "2026-11-15T00:00:02Z");

  it("are read oldest first over all pages, ids breaking ties", () => {
    expect(ordered(pages([c, b], [a])).map((one) => one.id)).toEqual(["msg_a", "msg_b", "msg_c"]);
  });

  it("are told apart within a millisecond, however many digits a time has", () => {
    const times = ["01Z", "01.1Z", "01.1002Z", "01.100201Z", "01.10021Z", "01.1003Z"];
    // Ids say the opposite: only the times may decide.
    const all = times.map((at, i) => message(`msg_${9 - i}`, `2026-11-15T00:00:${at}`));
    const sorted = all.map((one) => one.id);
    for (let turn = 0; turn < all.length; turn++) {
      all.push(all.shift() as Message);
      expect(ordered(pages(all)).map((one) => one.id)).toEqual(sorted);
    }
  });

  it("take a new message once", () => {
    const once = upsert(pages([b], [a]), c);
    expect(ordered(upsert(once, c)).map((one) => one.id)).toEqual(["msg_a", "msg_b", "msg_c"]);
  });

  it("show a branch in the place of what followed its parent", () => {
    const two = { ...message("msg_d", "2026-11-15T00:00:03Z"), parent: "msg_b" };
    const all = pages([c, b], [a]);
    expect(branches(all, two)).toBe(true);
    expect(ordered(branchOff(all, two)).map((one) => one.id)).toEqual(["msg_a", "msg_b", "msg_d"]);
    const three = { ...two, parent: "msg_a" };
    const cut = branchOff(all, three);
    expect(ordered(cut).map((one) => one.id)).toEqual(["msg_a", "msg_d"]);
    expect(cut.pages).toHaveLength(cut.pageParams.length);
    // What follows the newest, what is known, and what follows something older than what was read.
    expect(
      [{ ...two, parent: "msg_c" }, c, { ...two, parent: "msg_0" }].map((one) => branches(all, one)),
    ).toEqual([false, false, false]);
  });

  it("take the server's copy in the place of an older one", () => {
    const next = upsert(pages([b], [a]), message("msg_a", a.created_at, "changed"));
    expect(ordered(next).map(textOf)).toEqual(["changed", "msg_b"]);
  });
});
