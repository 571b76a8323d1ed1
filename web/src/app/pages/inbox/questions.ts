import type { Run } from "@/api/types";
import type { Need } from "@/features/runs/work";

export type Question = { run: Run; need: Need };

/** What agents want to know; approvals are listed by themselves, and helpers ask through the run they work for. */
export function questionsOf(runs: readonly Run[]): Question[] {
  return runs
    .filter((run) => run.state === "waiting" && !run.parent)
    .flatMap((run) =>
      (run.needs ?? [])
        .filter((need) => need.kind !== "approval")
        .map((need) => ({ run, need: need as Need })),
    );
}
