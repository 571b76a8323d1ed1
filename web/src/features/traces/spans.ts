import type { Run } from "@/api/types";
import type { Step } from "./queries";

/** One bar of the waterfall. Times are milliseconds since the request began. */
export type Span = {
  id: string;
  depth: number;
  kind: string;
  name: string;
  note: string;
  agent: string;
  start: number;
  end: number;
  /** Until the first token, of a model's answer. */
  first?: number;
  state: "done" | "failed" | "running" | "waiting";
  step?: Step;
  run: Run;
  /** It has others inside. */
  parent: boolean;
};

/** A run with its steps and its helpers, as it was read. */
export type Tree = { run: Run; steps: readonly Step[]; helpers: readonly Tree[] };

const ms = (at: string | undefined, fallback: number) => (at ? Date.parse(at) : fallback);

/** All spans of a request in the order of its tree; what still runs ends now. */
export function spansOf(tree: Tree, now: number): Span[] {
  const zero = ms(tree.run.started_at, Date.parse(tree.run.created_at));
  return collect(tree, zero, now, 0);
}

function collect(tree: Tree, zero: number, now: number, depth: number): Span[] {
  const { run } = tree;
  const start = ms(run.started_at, Date.parse(run.created_at));
  const spans: Span[] = [
    {
      id: run.id,
      depth,
      kind: depth === 0 ? "request" : "helper",
      name: depth === 0 ? "request" : `${run.agent}.run`,
      note: depth === 0 ? run.title : (run.task ?? run.title),
      agent: run.agent,
      start: start - zero,
      end: ms(run.finished_at, now) - zero,
      state: runState(run.state),
      run,
      parent: true,
    },
  ];
  const left = new Set(tree.helpers);
  for (const step of tree.steps) {
    const mine = [...left].filter((one) => step.call !== undefined && one.run.call === step.call);
    if (step.kind === "helper" && mine.length > 0) {
      for (const one of mine) {
        left.delete(one);
        spans.push(...collect(one, zero, now, depth + 1));
      }
      continue;
    }
    spans.push(spanOf(step, run, zero, now, depth + 1));
    for (const one of mine) {
      left.delete(one);
      spans.push(...collect(one, zero, now, depth + 2));
    }
  }
  for (const one of left) spans.push(...collect(one, zero, now, depth + 1));
  return spans;
}

function spanOf(step: Step, run: Run, zero: number, now: number, depth: number): Span {
  const end = ms(step.finished_at, now);
  const start = ms(step.started_at, step.finished_at ? end - (step.took_ms ?? 0) : now);
  return {
    id: `${run.id}/${step.seq}`,
    depth,
    kind: step.kind,
    name: step.kind === "model" ? `model.turn ${step.turn ?? ""}`.trim() : `${step.kind}.${step.name}`,
    note: step.kind === "model" ? step.name : noteOf(step),
    agent: run.agent,
    start: start - zero,
    end: end - zero,
    ...(step.ttft_ms ? { first: start - zero + step.ttft_ms } : {}),
    state:
      step.state === "failed"
        ? "failed"
        : step.state === "finished"
          ? "done"
          : step.state === "waiting"
            ? "waiting"
            : "running",
    step,
    run,
    parent: false,
  };
}

function noteOf(step: Step): string {
  const input = step.input;
  if (input && typeof input === "object")
    return Object.values(input)
      .map((one) => (typeof one === "string" ? one : JSON.stringify(one)))
      .join(" ")
      .replace(/\s+/g, " ")
      .slice(0, 120);
  return step.preview?.split("\n")[0]?.slice(0, 120) ?? "";
}

function runState(state: string): Span["state"] {
  if (state === "failed" || state === "cancelled") return "failed";
  if (state === "finished") return "done";
  return state === "waiting" ? "waiting" : "running";
}

/** Where a bar lies, in percent of the width; never thinner than can be seen. */
export type Box = { left: number; width: number; first: number; label: "right" | "left" | "inside" };

/** Lays a span out over `total` milliseconds that begin at `from`. */
export function layout(span: Pick<Span, "start" | "end" | "first">, total: number, from = 0): Box {
  const whole = Math.max(total, 1);
  const left = clamp(((span.start - from) / whole) * 100);
  const width = Math.max(clamp(((span.end - from) / whole) * 100) - left, 0.4);
  const first =
    span.first === undefined
      ? 0
      : clamp(((span.first - span.start) / Math.max(span.end - span.start, 1)) * 100);
  // Beside the bar where there is room, else in front of it, else on it.
  const label = left + width <= 84 ? "right" : left >= 14 ? "left" : "inside";
  return { left: Math.min(left, 99.6), width, first, label };
}

const clamp = (n: number) => Math.min(100, Math.max(0, n));

/** Marks of the axis: a few round numbers of milliseconds. */
export function ticks(total: number, most = 6): number[] {
  const rough = Math.max(total, 1) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough;
  const out: number[] = [];
  for (let at = 0; at <= total; at += step) out.push(at);
  return out;
}

/** A part of the time, in milliseconds since the request began. */
export type Window = { from: number; to: number };

/** The window made larger or smaller around its middle, within the whole. */
export function zoom({ from, to }: Window, factor: number, total: number): Window {
  const middle = (from + to) / 2;
  const half = Math.min(total, Math.max((to - from) * factor, 1)) / 2;
  const start = Math.max(0, Math.min(middle - half, total - 2 * half));
  return { from: start, to: Math.min(total, start + 2 * half) };
}

/** The steps that the end had to wait for: from the end back, the one that ended last before each began. */
export function criticalPath(spans: readonly Span[]): Set<string> {
  const leaves = spans.filter((span) => !span.parent).sort((a, b) => b.end - a.end);
  const path = new Set<string>();
  let until = Number.POSITIVE_INFINITY;
  for (const leaf of leaves) {
    if (leaf.end > until + 1) continue;
    path.add(leaf.id);
    until = Math.min(until, leaf.start);
  }
  return path;
}

/** The spans without those inside a folded one. */
export function unfolded(spans: readonly Span[], folded: ReadonlySet<string>): Span[] {
  const out: Span[] = [];
  let under = Number.POSITIVE_INFINITY;
  for (const span of spans) {
    if (span.depth > under) continue;
    under = Number.POSITIVE_INFINITY;
    out.push(span);
    if (folded.has(span.id)) under = span.depth;
  }
  return out;
}
