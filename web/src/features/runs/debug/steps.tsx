import { Bot, Brain, CircleHelp, Hand, Navigation, Route, Scissors, SquareTerminal, Zap } from "lucide-react";
import { useState } from "react";
import { words as sentence } from "@/lib/format";
import { short } from "@/lib/money";
import { duration } from "@/lib/time";
import type { Step } from "./queries";
import "./steps.css";

const icons: Record<string, typeof Zap> = {
  model: Zap,
  tool: SquareTerminal,
  helper: Bot,
  recall: Brain,
  routing: Route,
  approval: Hand,
  question: CircleHelp,
  compaction: Scissors,
  steering: Navigation,
};

/** Where a step lies in the whole, in percent. */
export function placeOf(
  step: Step,
  zero: number,
  total: number,
  now: number,
): { left: number; width: number } {
  const from = Date.parse(step.started_at ?? "") || zero;
  const to = Date.parse(step.finished_at ?? "") || (step.state === "started" ? now : from);
  return {
    left: Math.min(100, Math.max(0, ((from - zero) / total) * 100)),
    width: Math.max(1, Math.min(100, ((to - from) / total) * 100)),
  };
}

/** The steps of a run over one axis of time; each opens to what went in and came out. */
export function Steps({ steps, hue, now }: { steps: readonly Step[]; hue: string; now: number }) {
  const zero = Math.min(
    ...steps.map((step) => Date.parse(step.started_at ?? "") || Number.POSITIVE_INFINITY),
  );
  const end = Math.max(...steps.map((step) => Date.parse(step.finished_at ?? "") || now));
  const total = Math.max(1, end - zero);
  return (
    <ol className="steps">
      {steps.map((step) => (
        <StepRow key={step.seq} step={step} hue={hue} place={placeOf(step, zero, total, now)} />
      ))}
    </ol>
  );
}

function StepRow({ step, hue, place }: { step: Step; hue: string; place: { left: number; width: number } }) {
  const [open, setOpen] = useState(false);
  const Icon = icons[step.kind] ?? Zap;
  const tokens = step.usage ? step.usage.input + step.usage.output : 0;
  return (
    <li className={`${hue} ${step.state === "failed" ? "failed" : ""}`}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Icon aria-hidden="true" />
          <span className="trunc flex-1">
            {step.title || sentence(step.kind)} <span className="mono text-fg-3">{step.name}</span>
          </span>
          {tokens > 0 && <span className="num text-fg-3">{short(tokens)}</span>}
          <span className="num w-12 text-right text-fg-3">{step.took_ms ? duration(step.took_ms) : ""}</span>
          <span className="track" aria-hidden="true">
            <span style={{ left: `${place.left}%`, width: `${place.width}%` }} />
          </span>
        </summary>
        {open && <pre className="mono">{JSON.stringify(insideOf(step), null, 2)}</pre>}
      </details>
    </li>
  );
}

function insideOf({ input, output, preview, usage }: Step) {
  return { input, output: output ?? preview, usage };
}
