import { describe, expect, it } from "vitest";
import type { LiveEvent, Run } from "@/api/types";
import { putOff, readPutOff, tomorrow } from "@/features/inbox/put-away";
import { awake, budgetLine, budgetNotices, failuresOf, joined, mentionLine, mentionsOf } from "./needs";
import { questionsOf } from "./questions";

const run = (id: string, more: Partial<Run> = {}): Run => ({
  id,
  conversation: "conv_1",
  user: "usr_1",
  door: "chat",
  agent: "code",
  model: "demo",
  state: "finished",
  question: "",
  answer: "",
  attempt: 1,
  title: "",
  turns: 1,
  calls: 0,
  spent_micros: 0,
  created_at: "2026-11-15T10:00:00Z",
  ...more,
});

describe("the inbox", () => {
  it("lists questions once, and approvals not as questions", () => {
    const need = (kind: string) => ({ run: "run_1", call: kind, tool: "ask_user", kind, question: "Which?" });
    const needs = [need("answer"), need("approval")];
    const waiting = [
      run("run_1", { state: "waiting", needs }),
      run("run_2", { state: "waiting", parent: "run_1", needs }),
      run("run_3", { needs }),
    ];
    expect(questionsOf(waiting).map((one) => one.need.kind)).toEqual(["answer"]);
  });

  it("knows a run of two lists once", () => {
    const first = run("run_1", { state: "running" });
    expect(
      joined([first], [run("run_1", { state: "waiting" }), run("run_2")]).map((one) => one.state),
    ).toEqual(["running", "finished"]);
  });

  it("drops failures that were tried again or put away", () => {
    const failed = [
      run("run_1", { state: "failed" }),
      run("run_2", { state: "failed", conversation: "conv_2" }),
      run("run_3", { state: "failed", conversation: "conv_3" }),
      run("run_4", { state: "failed", conversation: "conv_4", parent: "run_1" }),
    ];
    const again = run("run_5", { created_at: "2026-11-15T11:00:00Z" });
    expect(failuresOf(failed, [again], ["run_2"]).map((one) => one.id)).toEqual(["run_3"]);
  });

  it("says of each budget only the latest", () => {
    const notice = (cursor: number, kind: string, budget: string): LiveEvent => ({
      cursor,
      channel: "notifications/usr_1",
      kind,
      at: "2026-11-15T10:00:00Z",
      data: { budget, name: "Code", percent: 80, limit: 1, spent: 1 },
    });
    const left = budgetNotices([
      notice(1, "costs.budget_warned", "a"),
      notice(2, "costs.budget_exceeded", "a"),
      notice(3, "costs.budget_warned", "b"),
      notice(4, "mail.sent", "c"),
    ]);
    expect(left.map((one) => one.cursor)).toEqual([2, 3]);
    expect(left.map((one) => budgetLine(one).title)).toEqual([
      "Code has used up its budget",
      "Code has used 80 % of its budget",
    ]);
  });

  it("says who wrote a comment, and where", () => {
    const comment = { id: "cmt_1", conversation: "conv_1", message: "msg_1", user: "usr_2", text: "Look" };
    const event = (kind: string): LiveEvent => ({
      cursor: 7,
      channel: "notifications/usr_1",
      kind,
      at: "2026-11-15T10:00:00Z",
      data: { comment, title: "Plans" },
    });
    const [mention, ...others] = mentionsOf([event("conversations.mentioned"), event("costs.budget_warned")]);
    expect(others).toEqual([]);
    const names = {
      user: (id: string | undefined) => (id === "usr_2" ? "Jonas" : ""),
      agent: (name: string) => name,
    };
    const line = mention && mentionLine(mention, names);
    expect(line).toMatchObject({ id: "mention:7", kind: "mention", title: "Look", from: "Jonas in Plans" });
    const deleted = { ...event("conversations.comment_deleted"), cursor: 8, data: { id: "cmt_1" } };
    expect(mentionsOf([event("conversations.mentioned"), deleted])).toEqual([]);
  });

  it("hides what is put off until it is due, or taken back", () => {
    const line = { id: "failed:run_1", kind: "failed" as const, title: "", from: "", at: "" };
    const until = Date.now() + 60_000;
    expect(awake([line], putOff(line.id, until))).toEqual([]);
    expect(awake([line], readPutOff(until + 1))).toEqual([line]);
    expect(awake([line], putOff(line.id))).toEqual([line]);
    expect(new Date(tomorrow(new Date(2026, 10, 30, 23))).toString()).toBe(
      new Date(2026, 11, 1, 9).toString(),
    );
  });
});
