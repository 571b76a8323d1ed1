import type { Conversation, Run } from "@/api/types";

export type Today = { chats: number; runs: number; failed: number; median: number | undefined };

/** What happened since midnight of this device, from the lists that are loaded anyway. */
export function todayOf(runs: readonly Run[], chats: readonly Conversation[], now: Date): Today {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const today = runs.filter((run) => Date.parse(run.created_at) >= midnight);
  const times = today
    .filter((run) => run.started_at && run.finished_at && run.state === "finished")
    .map((run) => Date.parse(run.finished_at ?? "") - Date.parse(run.started_at ?? ""))
    .sort((a, b) => a - b);
  return {
    chats: chats.filter((chat) => Date.parse(chat.updated_at) >= midnight).length,
    runs: today.length,
    failed: today.filter((run) => run.state === "failed").length,
    median: times[times.length >> 1],
  };
}
