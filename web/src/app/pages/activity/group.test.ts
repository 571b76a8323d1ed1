import { expect, test } from "vitest";
import type { Run } from "@/api/types";
import type { Approval } from "@/features/guard/queries";
import { activityOf } from "./group";

const run = (id: string, agent: string, state: string, at: string, more: Partial<Run> = {}): Run =>
  ({ id, agent, state, title: id, conversation: "c", created_at: at, finished_at: at, ...more }) as Run;

test("what one agent did within an hour is one line", () => {
  const hours = activityOf(
    [
      run("a", "coder", "finished", "2026-11-15T10:05:00Z"),
      run("b", "coder", "finished", "2026-11-15T10:40:00Z"),
      run("c", "coder", "failed", "2026-11-15T10:41:00Z"),
      run("d", "coder", "finished", "2026-11-15T09:10:00Z"),
      run("e", "helper", "finished", "2026-11-15T10:41:00Z", { parent: "a" }),
    ],
    [
      {
        state: "denied",
        answered_at: "2026-11-15T10:20:00Z",
        answered_by: "usr_1",
        tool: "run_command",
        command: "rm -rf x",
      } as Approval,
      { state: "asked", tool: "run_command" } as Approval,
    ],
  );
  expect(hours.map((hour) => hour.deeds.map((deed) => [deed.kind, deed.who, deed.n]))).toEqual([
    [
      ["failed", "coder", 1],
      ["finished", "coder", 2],
      ["denied", "usr_1", 1],
    ],
    [["finished", "coder", 1]],
  ]);
});
