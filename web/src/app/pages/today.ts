import type { Run } from "@/api/types";

export type Today = {
  runs: number;
  working: number;
  failed: number;
  median: number | undefined;
  p95: number | undefined;
};

/** What happened since midnight of this device, from the runs that are loaded anyway. */
export function todayOf(runs: readonly Run[], now: Date): Today {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const today = runs.filter((run) => Date.parse(run.created_at) >= midnight);
  const times = today
    .filter((run) => run.started_at && run.finished_at && run.state === "finished")
    .map((run) => Date.parse(run.finished_at ?? "") - Date.parse(run.started_at ?? ""))
    .sort((a, b) => a - b);
  return {
    runs: today.length,
    working: runs.filter((run) => run.state === "running" || run.state === "queued").length,
    failed: today.filter((run) => run.state === "failed").length,
    median: times[times.length >> 1],
    p95: times[Math.max(0, Math.ceil(0.95 * times.length) - 1)],
  };
}
