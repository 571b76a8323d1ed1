import type { LiveEvent } from "@/api/types";
import { words as sentence } from "@/lib/format";
import { talk } from "@/lib/messages/talk";
import { short } from "@/lib/money";
import { duration } from "@/lib/time";

export type Family = "model" | "tool" | "helper" | "ask" | "chat";

/** An event as one line: when, what, of whom, how much. */
export type Line = {
  event: LiveEvent;
  family: Family;
  bad: boolean;
  /** Since the question it belongs to, in milliseconds. */
  since: number;
  words: string;
  subject: string;
  value: string;
};

const families: readonly [RegExp, Family][] = [
  [/^runs\.(helper_)/, "helper"],
  [/^runs\.(tool_)/, "tool"],
  [/^runs\.(waiting|answered)/, "ask"],
  [/^runs\.(turn_finished|started|routed|recalled|compacted|finished|failed|cancelled)/, "model"],
];

type Facts = {
  tool?: string;
  agent?: string;
  model?: string;
  helper_agent?: string;
  task?: string;
  took_ms?: number;
  turn?: number;
  ok?: boolean;
  code?: string;
  calls?: unknown;
  usage?: { input?: number; output?: number };
  error?: { code?: string };
  facts?: unknown[];
  needs?: { tool?: string; kind?: string }[];
  before?: number;
  after?: number;
  why?: string;
  question?: string;
  message?: { role?: string };
};

/** The lines of a log, oldest first. Times count from the question that was being worked on. */
export function linesOf(events: readonly LiveEvent[]): Line[] {
  const sorted = [...events].sort((a, b) => (a.cursor ?? 0) - (b.cursor ?? 0));
  let began = Date.parse(sorted[0]?.at ?? "");
  return sorted.map((event) => {
    if (event.kind === "runs.queued" && event.channel.startsWith("conversations/"))
      began = Date.parse(event.at);
    return lineOf(event, Date.parse(event.at) - began);
  });
}

function lineOf(event: LiveEvent, since: number): Line {
  const data = event.data as Facts;
  return {
    event,
    since,
    family: families.find(([pattern]) => pattern.test(event.kind))?.[1] ?? "chat",
    bad: /failed|cancelled/.test(event.kind) || data.ok === false,
    words: talk.debug.words[event.kind] ?? sentence(event.kind.replace(/^\w+\./, "")),
    subject: subjectOf(event.kind, data),
    value: amountOf(event.kind, data),
  };
}

function subjectOf(kind: string, data: Facts): string {
  if (kind.includes("tool_")) return data.tool ?? "";
  if (kind.includes("helper_")) return data.helper_agent ?? "";
  if (kind === "runs.turn_finished" || kind === "runs.started")
    return [data.model, data.turn].filter(Boolean).join(" · ");
  if (kind === "runs.waiting") return data.needs?.map((need) => need.tool || need.kind).join(", ") ?? "";
  if (kind === "runs.routed") return data.agent ?? "";
  if (kind === "conversations.message_added") return data.message?.role ?? "";
  return data.error?.code ?? data.agent ?? "";
}

function amountOf(kind: string, data: Facts): string {
  if (kind === "runs.recalled") return String(data.facts?.length ?? 0);
  if (kind === "runs.compacted") return `${short(data.before ?? 0)} → ${short(data.after ?? 0)}`;
  if (kind === "runs.turn_finished" && data.usage)
    return short((data.usage.input ?? 0) + (data.usage.output ?? 0));
  if (data.took_ms !== undefined) return duration(data.took_ms);
  return data.code ?? "";
}

/** A bar of the small waterfall: from and to in milliseconds since the run began. */
export type Bar = { from: number; to: number; kind: "model" | "tool" | "wait" | "helper"; open: boolean };
export type Track = { name: string; agent: string; bars: Bar[] };

/** Who worked when in one run: a track for the agent, one for each helper, one for waiting. */
export function tracksOf(
  events: readonly LiveEvent[],
  run: string,
  now: number,
): { tracks: Track[]; total: number } {
  const mine = events.filter((event) => event.data.run === run);
  const begin = mine.find((event) => event.kind === "runs.queued" || event.kind === "runs.started");
  if (!begin) return { tracks: [], total: 0 };
  const zero = Date.parse(begin.at);
  const at = (event: LiveEvent) => Date.parse(event.at) - zero;
  const over = mine.find((event) => /^runs\.(finished|failed|cancelled)$/.test(event.kind));
  const total = Math.max(over ? at(over) : now - zero, 1);
  const agent = String(begin.data.agent ?? "");
  const main: Track = { name: agent, agent, bars: [] };
  const waits: Track = { name: talk.debug.kinds.ask ?? "", agent: "", bars: [] };
  const helpers = new Map<string, Track>();
  let free = 0;
  for (const event of mine) {
    const to = at(event);
    const took = Number(event.data.took_ms ?? 0);
    if (event.kind === "runs.turn_finished" || event.kind === "runs.finished") {
      const from = took > 0 ? to - took : free;
      if (to > from) main.bars.push({ from: Math.max(0, from), to, kind: "model", open: false });
    }
    if (event.kind === "runs.tool_finished")
      main.bars.push({ from: Math.max(0, to - took), to, kind: "tool", open: false });
    if (event.kind === "runs.waiting") waits.bars.push({ from: to, to: total, kind: "wait", open: true });
    if (event.kind === "runs.answered") close(waits, to);
    if (event.kind === "runs.helper_spawned") {
      const name = String(event.data.helper_agent);
      helpers.set(String(event.data.helper), {
        name,
        agent: name,
        bars: [{ from: to, to: total, kind: "helper", open: true }],
      });
    }
    if (event.kind === "runs.helper_finished" || event.kind === "runs.helper_failed")
      close(helpers.get(String(event.data.helper)), to);
    free = to;
  }
  const tracks = [main, ...helpers.values(), ...(waits.bars.length > 0 ? [waits] : [])];
  return { tracks, total };
}

function close(track: Track | undefined, to: number) {
  const last = track?.bars.at(-1);
  if (last?.open) Object.assign(last, { to, open: false });
}
