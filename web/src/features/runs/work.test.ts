import { expect, test } from "vitest";
import { turnsOf } from "@/api/turns";
import type { LiveEvent, Part } from "@/api/types";
import { toldIn } from "./tell/told";
import { addWorkSnapshot, applyWork, liveTurns, noWork, type Work } from "./work";

const event = (kind: string, data: object): LiveEvent =>
  ({ kind, channel: "conversations/conv_1", at: "2026-11-15T00:00:00Z", data }) as LiveEvent;

const play = (...events: LiveEvent[]): Work => events.reduce(applyWork, noWork);

const turn = event("runs.turn_finished", {
  run: "run_1",
  turn: 1,
  text: "I look.",
  calls: [{ call: "c1", tool: "list_files", args: { path: "." } }],
});

test("a call goes from planned to done, and keeps what it was asked", () => {
  const work = play(
    turn,
    event("runs.tool_started", { call: "c1", tool: "list_files", title: "List files" }),
    event("runs.tool_finished", { call: "c1", ok: true, preview: "a.go", took_ms: 12 }),
  );
  expect(work.turns[0]?.calls).toEqual([
    {
      call: "c1",
      tool: "list_files",
      title: "List files",
      args: { path: "." },
      state: "done",
      preview: "a.go",
      took: 12,
      helpers: [],
    },
  ]);
});

test("what streams belongs to the turn being written", () => {
  expect(liveTurns(play(turn), "I look.There is one file.").map((one) => [one.text, one.done])).toEqual([
    ["I look.", true],
    ["There is one file.", false],
  ]);
});

test("after a crash the turns that were not finished are void", () => {
  const work = play(turn, event("runs.started", { turn: 1 }));
  expect(work.turns).toEqual([]);
  expect(play(turn, event("runs.started", { turn: 2 })).turns).toHaveLength(1);
});

test("helpers are kept with the call that asked for them", () => {
  const work = play(
    turn,
    event("runs.helper_spawned", { call: "c1", helper: "run_2", helper_agent: "coder", task: "fix it" }),
    event("runs.helper_spawned", { call: "c1", helper: "run_3", helper_agent: "tester", task: "test it" }),
    event("runs.helper_progress", { helper: "run_2", tool: "edit_file" }),
    event("runs.helper_finished", { helper: "run_2", preview: "fixed", took_ms: 5 }),
    event("runs.helper_failed", { helper: "run_3", error: { code: "x", message: "No.", retryable: false } }),
    event("runs.helper_spawned", { call: "c1", helper: "run_4", helper_agent: "writer", task: "d" }),
    event("runs.helper_failed", { helper: "run_4", error: { code: "run_cancelled", message: "Stopped." } }),
  );
  expect(work.turns[0]?.calls[0]?.helpers.map((one) => [one.agent, one.state, one.preview])).toEqual([
    ["coder", "done", "fixed"],
    ["tester", "failed", undefined],
    ["writer", "stopped", undefined],
  ]);
});

test("a run that is read in the middle shows what its helpers were asked", () => {
  const work = addWorkSnapshot(
    noWork,
    {
      parts: [{ kind: "tool_call", id: "c1", name: "delegate" }],
      calls: [{ call: "c1", tool: "delegate" }],
      helpers: [{ run: "run_2", agent: "coder", call: "c1", state: "running", task: "fix it" }],
    },
    undefined,
  );
  expect(work.turns[0]?.calls[0]?.helpers.map((one) => [one.agent, one.task, one.state])).toEqual([
    ["coder", "fix it", "running"],
  ]);
});

test("pictures that a tool gave come with its end, and with the answer that is kept", () => {
  const images = [{ id: "att_1", media_type: "image/png", size: 9, width: 3, height: 2 }];
  const live = play(turn, event("runs.tool_finished", { call: "c1", ok: true, preview: "", images }));
  expect(live.turns[0]?.calls[0]?.images).toEqual(images);
  const kept = turnsOf([
    { kind: "tool_call", id: "c1", name: "read_file" },
    {
      kind: "tool_result",
      id: "c1",
      text: "",
      parts: [{ kind: "image", url: "attachment:att_1", media_type: "image/png" }],
    },
  ]);
  expect(kept[0]?.calls[0]?.images).toEqual([{ id: "att_1", media_type: "image/png" }]);
});

test("a run that waits says for what, until it is answered", () => {
  const asked = play(
    turn,
    event("runs.waiting", {
      needs: [{ run: "run_1", call: "c1", tool: "run_command", kind: "approval", question: "May it?" }],
    }),
  );
  expect(asked.needs).toHaveLength(1);
  expect(asked.turns[0]?.calls[0]?.state).toBe("waiting");
  expect(applyWork(asked, event("runs.answered", { call: "c1" })).needs).toEqual([]);
});

test("a snapshot does not undo what live events said", () => {
  const work = play(turn, event("runs.tool_finished", { call: "c1", ok: true, preview: "a.go" }));
  const next = addWorkSnapshot(
    work,
    {
      parts: [
        { kind: "text", text: "I look." },
        { kind: "tool_call", id: "c1", name: "list_files" },
      ],
      calls: [{ call: "c1", tool: "list_files" }],
    },
    undefined,
  );
  expect(next.turns[0]?.calls[0]?.state).toBe("done");
});

test("the parts of an answer are read as turns", () => {
  const turns = turnsOf([
    { kind: "reasoning", text: "Hm." },
    { kind: "text", text: "I look." },
    { kind: "tool_call", id: "c1", name: "read_file" },
    { kind: "tool_call", id: "c2", name: "read_file" },
    { kind: "tool_result", id: "c1", text: "one" },
    { kind: "tool_result", id: "c2", text: "gone", is_error: true },
    { kind: "text", text: "Done." },
  ]);
  expect(turns.map((one) => [one.reasoning, one.text, one.calls.map((call) => call.state)])).toEqual([
    ["Hm.", "I look.", ["done", "failed"]],
    ["", "Done.", []],
  ]);
});

test("what is known of a call beside its result is there after a reload", () => {
  const parts = [
    { kind: "tool_call", id: "c1", name: "edit_file", args: { path: "a.go" } },
    { kind: "tool_result", id: "c1", name: "edit_file", text: "done" },
    { kind: "tool_call", id: "c2", name: "list_files" },
    { kind: "tool_result", id: "c2", name: "list_files", text: "a.go" },
  ] as Part[];
  const notes = [{ call: "c1", title: "Edit", took_ms: 12, meta: { diff: "+one" } }];
  const calls = turnsOf(parts, notes).flatMap((one) => one.calls);
  expect(calls[0]).toMatchObject({ state: "done", title: "Edit", took: 12, meta: { diff: "+one" } });
  expect(calls[1]?.took).toBeUndefined();
  const partial = addWorkSnapshot(noWork, { parts, done: notes }, undefined);
  expect(partial.turns[0]?.calls[0]?.took).toBe(12);
});

test("what was said to a helper stands between its turns, and says when the helper has it", () => {
  const log = [
    event("runs.told", { message: "msg_1", text: "use sqlite" }),
    event("runs.turn_finished", { turn: 1, calls: [] }),
    event("runs.steered", { message_ids: ["msg_1"] }),
    event("runs.told", { message: "msg_2", text: "and quickly" }),
  ];
  expect(toldIn(log)).toEqual([
    { message: "msg_1", text: "use sqlite", after: 1 },
    { message: "msg_2", text: "and quickly" },
  ]);
});
