import {
  Bot,
  Brain,
  CircleHelp,
  Hand,
  type LucideIcon,
  Route,
  Scissors,
  StickyNote,
  Wrench,
  Zap,
} from "lucide-react";
import { type CSSProperties, type KeyboardEvent, useRef } from "react";
import { traces as words } from "@/lib/messages/traces";
import { duration } from "@/lib/time";
import { type Box, layout, type Span, ticks } from "./spans";
import "./traces.css";

const icons: Record<string, LucideIcon> = {
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

/** All steps over one axis of time; arrows move, the chosen one is shown beside. */
export function Waterfall({
  spans,
  hue,
  picked,
  onPick,
}: {
  spans: readonly Span[];
  hue: (agent: string) => string;
  picked: string | undefined;
  onPick: (id: string) => void;
}) {
  const rows = useRef<HTMLDivElement>(null);
  const total = Math.max(...spans.map((span) => span.end), 1);
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = spans.findIndex((span) => span.id === picked);
    const next = spans[Math.min(spans.length - 1, Math.max(0, at + step))];
    if (!next) return;
    onPick(next.id);
    rows.current?.querySelector<HTMLElement>(`[data-span="${CSS.escape(next.id)}"]`)?.focus();
  };
  return (
    <div className="wf">
      <div className="wf-axis" aria-hidden="true">
        <span>{words.spans}</span>
        <div className="tr">
          {ticks(total).map((at) => (
            <span key={at} className="num" style={{ left: `${(at / total) * 100}%` }}>
              {duration(at)}
            </span>
          ))}
        </div>
      </div>
      <div ref={rows} role="treegrid" aria-label={words.waterfall} tabIndex={-1} onKeyDown={move}>
        {spans.map((span, i) => (
          <Bar
            key={span.id}
            span={span}
            total={total}
            hue={hue(span.agent)}
            picked={span.id === picked}
            first={picked ? span.id === picked : i === 0}
            onPick={() => onPick(span.id)}
          />
        ))}
      </div>
    </div>
  );
}

function labelPlace({ left, width, label }: Box): CSSProperties {
  if (label === "right") return { left: `calc(${left + width}% + 6px)` };
  if (label === "left") return { right: `calc(${100 - left}% + 6px)` };
  return { right: `calc(${100 - left - width}% + 8px)` };
}

function Bar({
  span,
  total,
  hue,
  picked,
  first,
  onPick,
}: {
  span: Span;
  total: number;
  hue: string;
  picked: boolean;
  first: boolean;
  onPick: () => void;
}) {
  const Icon = icons[span.kind] ?? StickyNote;
  const box = layout(span, total);
  const took = span.state === "running" ? words.running : duration(span.end - span.start);
  const bad = span.state === "failed";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of a treegrid that can be chosen
    <div
      role="row"
      aria-level={span.depth + 1}
      aria-selected={picked}
      tabIndex={first ? 0 : -1}
      data-span={span.id}
      className={`wf-row ${hue}`}
      onClick={onPick}
      onKeyDown={(event) => event.key === "Enter" && onPick()}
    >
      {/** biome-ignore lint/a11y/useSemanticElements: a cell of a treegrid */}
      <span
        role="gridcell"
        tabIndex={-1}
        className="nm"
        style={{ paddingLeft: `${8 + span.depth * 18}px` }}
        aria-label={words.gantt(span.name, duration(span.start), took)}
      >
        <Icon
          className={`!h-3.5 !w-3.5 flex-none ${bad ? "text-bad" : ""}`}
          style={bad ? undefined : { color: "var(--a)" }}
          aria-hidden="true"
        />
        <span className={`whitespace-nowrap font-medium ${bad ? "text-bad" : ""}`}>{span.name}</span>
        <span className="trunc text-fg-3">{span.note}</span>
      </span>
      <span className="tr" aria-hidden="true">
        <span
          className={`bar ${span.parent ? "outer" : ""} ${bad ? "bad" : ""}`}
          style={{ left: `${box.left}%`, width: `max(3px, ${box.width}%)` }}
        >
          {box.first > 0 && <i style={{ width: `${box.first}%` }} />}
        </span>
        <span className="lb num" style={labelPlace(box)}>
          {took}
        </span>
      </span>
    </div>
  );
}
