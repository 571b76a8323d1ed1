import clsx from "clsx";
import { Ban, Check, Clock, Hand, LoaderCircle, Minus, Pause, RotateCw, X } from "lucide-react";
import type { ReactNode } from "react";
import { hueOf, initials } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { ago, exactTime } from "@/lib/time";

export type Tone = "ok" | "warn" | "bad" | "run" | "line" | "plain";

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="kbd">{children}</kbd>;
}

export function Pill({
  tone = "plain",
  children,
  className,
}: {
  tone?: Tone;
  children: ReactNode;
  className?: string;
}) {
  return <span className={clsx("pill", tone !== "plain" && tone, className)}>{children}</span>;
}

export function Dot({ tone, live }: { tone?: Tone | undefined; live?: boolean }) {
  return <span aria-hidden="true" className={clsx("dot", tone, live && "pulse")} />;
}

/** The product's mark. */
export function Mark({ large }: { large?: boolean }) {
  return (
    <span className={clsx("glyph", large && "l")} aria-hidden="true">
      <svg
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.4"
        strokeLinecap="round"
        role="presentation"
      >
        <path d="M5 6.5h6.5a4 4 0 0 1 4 4v0a4 4 0 0 0 4 4" />
        <path d="M5 17.5h4.5a4 4 0 0 0 3-1.4" />
        <circle cx="19" cy="6.5" r="1.4" fill="currentColor" stroke="none" />
      </svg>
    </span>
  );
}

/** The initials of a person. Drawn by the style sheet: they are a picture, not part of any name. */
export function Avatar({ name, large }: { name: string; large?: boolean }) {
  return (
    <span className={clsx("av", large && "l", hueOf(name))} data-text={initials(name)} aria-hidden="true" />
  );
}

/** An icon in the hue of its owner. */
export function Glyph({ hue, size, children }: { hue: string; size?: "l" | "xl"; children: ReactNode }) {
  return (
    <span className={clsx("ag", size, hue)} aria-hidden="true">
      {children}
    </span>
  );
}

/** A time in words, exact on hover. */
export function Time({ at, className }: { at: string | undefined; className?: string }) {
  if (!at) return <span className={className}>{common.never}</span>;
  return (
    <time dateTime={at} title={exactTime(at)} className={clsx("num whitespace-nowrap", className)}>
      {ago(at)}
    </time>
  );
}

type Look = { tone: Tone; icon: ReactNode; word: string };

const words = common.states;
const looks: Record<string, Look> = {
  running: { tone: "run", icon: <Dot tone="run" live />, word: words.working },
  waiting: { tone: "warn", icon: <Hand />, word: words.needsYou },
  queued: { tone: "plain", icon: <Clock />, word: words.queued },
  available: { tone: "plain", icon: <Clock />, word: words.queued },
  scheduled: { tone: "plain", icon: <Clock />, word: words.scheduled },
  retrying: { tone: "warn", icon: <RotateCw />, word: words.retrying },
  finished: { tone: "ok", icon: <Check />, word: words.done },
  succeeded: { tone: "ok", icon: <Check />, word: words.done },
  completed: { tone: "ok", icon: <Check />, word: words.done },
  done: { tone: "ok", icon: <Check />, word: words.done },
  failed: { tone: "bad", icon: <X />, word: words.failed },
  discarded: { tone: "bad", icon: <X />, word: words.failed },
  cancelled: { tone: "line", icon: <Ban />, word: words.cancelled },
  paused: { tone: "plain", icon: <Pause />, word: words.paused },
};

/** The state of a run or job: icon and word together, never colour alone. */
export function StatePill({ state }: { state: string }) {
  const look = looks[state] ?? { tone: "line" as Tone, icon: <Minus />, word: state };
  return (
    <Pill tone={look.tone}>
      {look.icon}
      {look.word}
    </Pill>
  );
}

/** True for states after which nothing more happens. */
export function isFinal(state: string): boolean {
  return ["finished", "succeeded", "completed", "done", "failed", "discarded", "cancelled"].includes(state);
}

export function Spinner() {
  return <LoaderCircle className="spin" aria-hidden="true" />;
}
