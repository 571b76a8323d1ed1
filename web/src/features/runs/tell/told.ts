import type { LiveEvent } from "@/api/types";

/** What a person said to a helper in the middle of its work. */
export type Told = {
  message: string;
  text: string;
  /** How many turns were finished when the model got it; undefined while it is on its way. */
  after?: number;
};

/** What was said to a helper, in the order of its log. */
export function toldIn(log: readonly LiveEvent[]): Told[] {
  const told: Told[] = [];
  let turns = 0;
  for (const { kind, data } of log) {
    if (kind === "runs.turn_finished") turns = Number(data.turn);
    if (kind === "runs.told") told.push({ message: String(data.message), text: String(data.text) });
    if (kind === "runs.steered") {
      const ids = (data.message_ids ?? []) as readonly string[];
      for (const one of told) if (ids.includes(one.message)) one.after = turns;
    }
  }
  return told;
}
