import type { Picture } from "@/api/files";
import { type CallNote, type Helper, type ToolCall, type Turn, turnsOf } from "@/api/turns";
import type { LiveEvent, Part, Trouble } from "@/api/types";

/** One thing that a form asks for. */
export type FormField = {
  name: string;
  title?: string;
  description?: string;
  type: string;
  required?: boolean;
  choices?: readonly { value: string; label: string }[];
  preset?: unknown;
};

/** Something a run waits for: a person's word. */
export type Need = {
  run: string;
  call: string;
  tool: string;
  title?: string;
  kind: string;
  question: string;
  options?: readonly { label: string; description?: string }[];
  multiple?: boolean;
  help?: string;
  fields?: readonly FormField[];
  rule?: string;
  ticket?: string;
};

/** What a run did so far: its finished turns with their calls, and what it waits for. */
export type Work = { turns: readonly Turn[]; needs: readonly Need[]; thinking: string };

export const noWork: Work = { turns: [], needs: [], thinking: "" };

/** The run as the server has it, read once; events go on from there. */
export type Snapshot = {
  parts?: readonly Part[];
  calls?: readonly { call: string; tool: string; title?: string; args?: unknown }[];
  helpers?: readonly { run: string; agent: string; call?: string; state: string; task?: string }[];
  /** Of the calls that ended. */
  done?: readonly CallNote[];
  reasoning?: string;
};

/** What the facts of a run speak of; each has some of these. */
type Facts = {
  turn: number;
  call: string;
  ok: boolean;
  helper: string;
  helper_agent: string;
  chars?: number;
  usage?: { input?: number; output?: number };
  text?: string;
  reasoning?: string;
  tool?: string;
  title?: string;
  args?: unknown;
  preview?: string;
  took_ms?: number;
  code?: string;
  meta?: Record<string, unknown>;
  images?: readonly Picture[];
  task?: string;
  error?: Trouble;
  needs?: readonly Need[];
  calls?: readonly { call: string; tool: string; title?: string; args?: unknown }[];
};

/** Takes the server's copy; what live events already brought further stays. */
export function addWorkSnapshot(work: Work, snapshot: Snapshot, needs: readonly Need[] | undefined): Work {
  const turns = turnsOf(snapshot.parts ?? [], snapshot.done);
  let next: Work = {
    turns: turns.length >= work.turns.length ? turns : work.turns,
    needs: needs ?? work.needs,
    thinking: work.thinking || (snapshot.reasoning ?? ""),
  };
  for (const open of snapshot.calls ?? []) next = patchCall(next, open.call, { ...open, state: "running" });
  for (const one of snapshot.helpers ?? []) {
    next = patchHelper(next, one.call ?? "", { task: "", ...one, state: stateOf(one.state) });
  }
  for (const turn of work.turns) {
    for (const call of turn.calls) {
      if (call.state === "done" || call.state === "failed" || call.helpers.length > 0)
        next = patchCall(next, call.call, call);
    }
  }
  return next;
}

/** How the state of a run shows in a helper's lane. */
export const stateOf = (state: string): Helper["state"] =>
  state === "finished"
    ? "done"
    : state === "failed"
      ? "failed"
      : state === "cancelled"
        ? "stopped"
        : "running";

/** Applies what happened to a run. */
export function applyWork(work: Work, event: LiveEvent): Work {
  const data = event.data as unknown as Facts;
  switch (event.kind) {
    case "runs.started":
      return { turns: work.turns.filter((one) => one.turn < data.turn), needs: [], thinking: "" };
    case "runs.reasoning_delta":
      return { ...work, thinking: work.thinking + (data.text ?? "") };
    case "runs.turn_finished":
      return turnFinished(work, data);
    case "runs.tool_started":
      return patchCall(work, data.call, fields(data, { state: "running" }));
    case "runs.tool_finished":
      return patchCall(work, data.call, fields(data, { state: data.ok ? "done" : "failed" }));
    case "runs.helper_spawned":
      return patchHelper(work, data.call, {
        run: data.helper,
        agent: data.helper_agent,
        task: data.task ?? "",
        state: "running",
      });
    case "runs.helper_progress":
      return mapHelpers(work, data.helper, (one) => ({
        ...one,
        line: data.tool ?? "",
        chars: data.chars ?? 0,
      }));
    case "runs.helper_finished":
      return mapHelpers(work, data.helper, (one) => ({
        ...one,
        state: "done",
        preview: data.preview ?? "",
        took: data.took_ms ?? 0,
        tokens: (data.usage?.input ?? 0) + (data.usage?.output ?? 0),
      }));
    case "runs.helper_failed":
      return mapHelpers(work, data.helper, (one) => ({
        ...one,
        state: data.error?.code === "run_cancelled" ? "stopped" : "failed",
        ...(data.error ? { error: data.error } : {}),
        took: data.took_ms ?? 0,
      }));
    case "runs.waiting":
      return waiting(work, data.needs ?? []);
    case "runs.answered":
      return { ...work, needs: work.needs.filter((need) => need.call !== data.call) };
    default:
      return work;
  }
}

function turnFinished(work: Work, data: Facts): Work {
  const planned = data.calls ?? [];
  const known = work.turns.find((one) => one.turn === data.turn);
  const turn: Turn = {
    turn: data.turn,
    text: data.text ?? "",
    reasoning: data.reasoning ?? work.thinking,
    calls: planned.map((one) => ({
      state: "planned" as const,
      helpers: [],
      ...one,
      ...known?.calls.find((call) => call.call === one.call),
    })),
    done: true,
  };
  const turns = [...work.turns.filter((one) => one.turn !== data.turn), turn].sort((a, b) => a.turn - b.turn);
  return { ...work, turns, thinking: "" };
}

function waiting(work: Work, needs: readonly Need[]): Work {
  let next: Work = { ...work, needs };
  for (const need of needs) next = patchCall(next, need.call, { state: "waiting" });
  return next;
}

/** The fields of a call that an event speaks of. */
function fields(data: Facts, more: Partial<ToolCall>): Partial<ToolCall> {
  const out: Partial<ToolCall> = { ...more };
  if (data.tool) out.tool = data.tool;
  if (data.title) out.title = data.title;
  if (data.args !== undefined) out.args = data.args;
  if (data.preview !== undefined) out.preview = data.preview;
  if (data.took_ms !== undefined) out.took = data.took_ms;
  if (data.code) out.code = data.code;
  if (data.meta) out.meta = data.meta;
  if (data.images) out.images = data.images;
  return out;
}

/** Changes a call; one that no turn planned belongs to the last turn. */
function patchCall(work: Work, call: string, change: Partial<ToolCall>): Work {
  let found = false;
  const turns = work.turns.map((turn) => {
    if (!turn.calls.some((one) => one.call === call)) return turn;
    found = true;
    return { ...turn, calls: turn.calls.map((one) => (one.call === call ? { ...one, ...change } : one)) };
  });
  if (found) return { ...work, turns };
  const made: ToolCall = { call, tool: "", state: "running", helpers: [], ...change };
  const last = turns.at(-1);
  if (!last) return { ...work, turns: [{ turn: 1, text: "", reasoning: "", calls: [made], done: true }] };
  turns[turns.length - 1] = { ...last, calls: [...last.calls, made] };
  return { ...work, turns };
}

function patchHelper(work: Work, call: string, helper: Helper): Work {
  const all = work.turns.flatMap((turn) => turn.calls);
  const of = all.find((one) => one.call === call);
  const known = of?.helpers.some((one) => one.run === helper.run);
  if (known) return mapHelpers(work, helper.run, (one) => ({ ...one, state: helper.state }));
  return patchCall(work, call, { helpers: [...(of?.helpers ?? []), helper] });
}

function mapHelpers(work: Work, run: string, change: (helper: Helper) => Helper): Work {
  return {
    ...work,
    turns: work.turns.map((turn) => ({
      ...turn,
      calls: turn.calls.map((call) =>
        call.helpers.some((one) => one.run === run)
          ? { ...call, helpers: call.helpers.map((one) => (one.run === run ? change(one) : one)) }
          : call,
      ),
    })),
  };
}

/** The turns to draw: those that are finished, and the one being written. */
export function liveTurns(work: Work, streamed: string): Turn[] {
  const before = work.turns.reduce((sum, turn) => sum + turn.text.length, 0);
  const now: Turn = {
    turn: (work.turns.at(-1)?.turn ?? 0) + 1,
    text: streamed.slice(before),
    reasoning: work.thinking,
    calls: [],
    done: false,
  };
  return [...work.turns, now];
}
