import { fileOf, type Picture } from "./files";
import type { Message, Part, Trouble } from "./types";

/** What is known of a call beside its result: how long it took, what it changed. */
export type CallNote = NonNullable<NonNullable<Message["notes"]>["calls"]>[number];

/** A helper: an agent that works on a part of the task, on its own. */
export type Helper = {
  run: string;
  agent: string;
  task: string;
  state: "running" | "done" | "failed" | "stopped";
  preview?: string;
  error?: Trouble;
  took?: number;
  /** The tool it uses this moment; empty while it writes. */
  line?: string;
  /** How much it has written. */
  chars?: number;
  tokens?: number;
  /** What it cost, in micro-dollars. */
  cost?: number;
};

/** One call of a tool, from its plan to its end. */
export type ToolCall = {
  call: string;
  tool: string;
  title?: string;
  args?: unknown;
  state: "planned" | "running" | "waiting" | "done" | "failed";
  /** The beginning of what came out. */
  preview?: string;
  code?: string;
  took?: number;
  meta?: Record<string, unknown>;
  /** Pictures that came out, in their order. */
  images?: readonly Picture[];
  helpers: readonly Helper[];
};

/** One answer of the model with the calls it asked for. */
export type Turn = {
  turn: number;
  text: string;
  reasoning: string;
  calls: readonly ToolCall[];
  done: boolean;
};

/** Reads the parts of an answer as turns: text after the result of a tool begins the next one. */
export function turnsOf(parts: readonly Part[], notes: readonly CallNote[] = []): Turn[] {
  const turns: { turn: number; text: string; reasoning: string; calls: ToolCall[]; done: boolean }[] = [];
  let open = false;
  const current = () => {
    if (!open) turns.push({ turn: turns.length + 1, text: "", reasoning: "", calls: [], done: true });
    open = true;
    // biome-ignore lint/style/noNonNullAssertion: pushed above
    return turns.at(-1)!;
  };
  for (const part of parts) {
    switch (part.kind) {
      case "text":
        current().text += part.text ?? "";
        break;
      case "reasoning":
        current().reasoning += part.text ?? "";
        break;
      case "tool_call":
        current().calls.push({
          call: part.id ?? "",
          tool: part.name ?? "",
          args: part.args,
          state: "planned",
          helpers: [],
        });
        break;
      case "tool_result": {
        const last = turns.at(-1);
        if (last)
          last.calls = last.calls.map((one) => (one.call === part.id ? ended(one, part, notes) : one));
        open = false;
      }
    }
  }
  return turns;
}

function ended(call: ToolCall, part: Part, notes: readonly CallNote[]): ToolCall {
  const text = part.text ?? part.parts?.map((one) => one.text ?? "").join("\n") ?? "";
  const images = (part.parts ?? []).flatMap((one) => {
    const id = fileOf(one);
    return id ? [{ id, media_type: one.media_type ?? "" }] : [];
  });
  return {
    ...call,
    state: part.is_error ? "failed" : "done",
    preview: text,
    ...(images.length > 0 ? { images } : {}),
    ...noted(notes.find((one) => one.call === call.call)),
  };
}

function noted(note: CallNote | undefined): Partial<ToolCall> {
  if (!note) return {};
  const { took_ms: took, title, code, meta } = note;
  return {
    took,
    ...(title ? { title } : {}),
    ...(code ? { code } : {}),
    ...(meta ? { meta: meta as Record<string, unknown> } : {}),
  };
}

/** All that was said, without what tools did. */
export function saidIn(turns: readonly Turn[]): string {
  return turns
    .map((turn) => turn.text)
    .filter(Boolean)
    .join("\n\n");
}
