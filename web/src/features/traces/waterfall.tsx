import clsx from "clsx";
import {
  Bot,
  Brain,
  ChevronDown,
  ChevronRight,
  CircleHelp,
  Hand,
  type LucideIcon,
  Route,
  Scissors,
  StickyNote,
  Wrench,
  Zap,
} from "lucide-react";
import { type CSSProperties, type KeyboardEvent, type MouseEvent, useRef } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { traces as words } from "@/lib/messages/traces";
import { duration } from "@/lib/time";
import { type Box, layout, type Span, ticks, type Window } from "./spans";
import "./traces.css";

export const spanIcons: Record<string, LucideIcon> = {
  request: Route,
  helper: Bot,
  model: Zap,
  tool: Wrench,
  routing: Route,
  recall: Brain,
  approval: Hand,
  question: CircleHelp,
  compaction: Scissors,
};

/** Rows beyond this many are drawn only where they are in sight. */
const virtualFrom = 150;

/** All steps over one axis of time; arrows move and fold, the chosen one is shown beside. */
export function Waterfall({
  spans,
  window,
  hue,
  picked,
  onPick,
  folded,
  onFold,
  dim,
}: {
  spans: readonly Span[];
  window: Window;
  hue: (agent: string) => string;
  picked: string | undefined;
  onPick: (id: string) => void;
  folded: ReadonlySet<string>;
  onFold: (id: string, fold: boolean) => void;
  /** True for steps that are not what is looked for. */
  dim: (span: Span) => boolean;
}) {
  const rows = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const total = Math.max(window.to - window.from, 1);
  const at = spans.findIndex((span) => span.id === picked);
  const go = (next: Span | undefined) => {
    if (!next) return;
    onPick(next.id);
    list.current?.scrollToIndex(spans.indexOf(next), { align: "nearest" });
    requestAnimationFrame(() =>
      rows.current?.querySelector<HTMLElement>(`[data-span="${CSS.escape(next.id)}"]`)?.focus(),
    );
  };
  const move = (event: KeyboardEvent) => {
    const now = spans[at];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) go(spans[Math.min(spans.length - 1, Math.max(0, at + step))]);
    else if (event.key === "ArrowRight" && now && folded.has(now.id)) onFold(now.id, false);
    else if (event.key === "ArrowRight") go(spans[at + 1]);
    else if (event.key === "ArrowLeft" && now?.parent && !folded.has(now.id)) onFold(now.id, true);
    else if (event.key === "ArrowLeft" && now)
      go(spans.slice(0, at).findLast((span) => span.depth < now.depth));
    else return;
    event.preventDefault();
  };
  const bars = spans.map((span, i) => (
    <Bar
      key={span.id}
      span={span}
      window={window}
      hue={hue(span.agent)}
      picked={span.id === picked}
      first={at >= 0 ? i === at : i === 0}
      folded={folded.has(span.id)}
      dim={dim(span)}
      onPick={() => onPick(span.id)}
      onFold={(fold) => onFold(span.id, fold)}
    />
  ));
  return (
    <div className="wf">
      <div className="wf-axis" aria-hidden="true">
        <span>{words.spans}</span>
        <div className="tr">
          {ticks(total).map((tick) => (
            <span key={tick} className="num" style={{ left: `${(tick / total) * 100}%` }}>
              {duration(window.from + tick)}
            </span>
          ))}
        </div>
      </div>
      <div
        ref={rows}
        role="treegrid"
        aria-label={words.waterfall}
        aria-rowcount={spans.length}
        tabIndex={-1}
        onKeyDown={move}
      >
        {spans.length > virtualFrom ? <Virtualizer ref={list}>{bars}</Virtualizer> : bars}
      </div>
    </div>
  );
}

function labelPlace({ left, width, label }: Box): CSSProperties {
  if (label === "right") return { left: `calc(${left + width}% + 6px)` };
  if (label === "left") return { right: `calc(${100 - left}% + 6px)` };
  return { right: `calc(${100 - left - width}% + 8px)` };
}

type BarProps = {
  span: Span;
  window: Window;
  hue: string;
  picked: boolean;
  first: boolean;
  folded: boolean;
  dim: boolean;
  onPick: () => void;
  onFold: (fold: boolean) => void;
};

function Bar({ span, window, hue, picked, first, folded, dim, onPick, onFold }: BarProps) {
  const Icon = spanIcons[span.kind] ?? StickyNote;
  const box = layout(span, window.to - window.from, window.from);
  const took = span.state === "running" ? words.running : duration(span.end - span.start);
  const bad = span.state === "failed";
  const Fold = folded ? ChevronRight : ChevronDown;
  const fold = (event: MouseEvent) => {
    event.stopPropagation();
    onFold(!folded);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of a treegrid that can be chosen
    <div
      role="row"
      aria-level={span.depth + 1}
      aria-selected={picked}
      aria-expanded={span.parent ? !folded : undefined}
      tabIndex={first ? 0 : -1}
      data-span={span.id}
      className={clsx("wf-row", hue, dim && "dim")}
      onClick={onPick}
      onKeyDown={(event) => event.key === "Enter" && onPick()}
    >
      {/** biome-ignore lint/a11y/useSemanticElements: a cell of a treegrid */}
      <span role="gridcell" tabIndex={-1} className="nm" style={{ paddingLeft: `${4 + span.depth * 18}px` }}>
        <span className="fold" aria-hidden="true" onClick={span.parent ? fold : undefined}>
          {span.parent && <Fold />}
        </span>
        <Icon
          className={`!h-3.5 !w-3.5 flex-none ${bad ? "text-bad" : ""}`}
          style={bad ? undefined : { color: "var(--a)" }}
          aria-hidden="true"
        />
        <span className={`whitespace-nowrap font-medium ${bad ? "text-bad" : ""}`}>{span.name}</span>
        <span className="trunc text-fg-3">{span.note}</span>
        <span className="sr-only">{words.gantt(span.name, duration(span.start), took)}</span>
      </span>
      <span className="tr" aria-hidden="true">
        {span.end >= window.from && span.start <= window.to && (
          <>
            <span
              className={`bar ${span.parent ? "outer" : ""} ${bad ? "bad" : ""} ${span.state === "running" ? "live" : ""}`}
              style={{ left: `${box.left}%`, width: `max(3px, ${box.width}%)` }}
            >
              {box.first > 0 && <i style={{ width: `${box.first}%` }} />}
            </span>
            <span className={clsx("lb num", box.label === "inside" && "on")} style={labelPlace(box)}>
              {bad && "✗ "}
              {took}
            </span>
          </>
        )}
      </span>
    </div>
  );
}
