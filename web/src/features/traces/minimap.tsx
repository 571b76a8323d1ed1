import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { traces as words } from "@/lib/messages/traces";
import { duration } from "@/lib/time";
import { layout, type Span, type Window, zoom } from "./spans";

/** The whole request small; dragging over it shows that part large. */
export function Minimap({
  spans,
  total,
  window,
  hue,
  onWindow,
}: {
  spans: readonly Span[];
  total: number;
  window: Window;
  hue: (agent: string) => string;
  onWindow: (window: Window) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<number>();
  const timeAt = (event: PointerEvent) => {
    const { left, width } = box.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return Math.min(1, Math.max(0, (event.clientX - left) / width)) * total;
  };
  const move = (event: PointerEvent) => {
    if (drag === undefined) return;
    const at = timeAt(event);
    if (Math.abs(at - drag) > total / 100) onWindow({ from: Math.min(at, drag), to: Math.max(at, drag) });
  };
  const press = (event: KeyboardEvent) => {
    const shift = (window.to - window.from) / 10;
    const by = { ArrowLeft: -shift, ArrowRight: shift }[event.key];
    if (by) {
      const from = Math.min(Math.max(0, window.from + by), total - (window.to - window.from));
      onWindow({ from, to: from + window.to - window.from });
    } else if (event.key === "ArrowUp") onWindow(zoom(window, 0.7, total));
    else if (event.key === "ArrowDown") onWindow(zoom(window, 1 / 0.7, total));
    else return;
    event.preventDefault();
  };
  const lines = spans.slice(0, 400);
  return (
    <div
      ref={box}
      className="minimap"
      role="slider"
      tabIndex={0}
      aria-label={words.minimap}
      aria-valuemin={0}
      aria-valuemax={Math.round(total)}
      aria-valuenow={Math.round(window.from)}
      aria-valuetext={words.windowOf(duration(window.from), duration(window.to))}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag(timeAt(event));
      }}
      onPointerMove={move}
      onPointerUp={() => setDrag(undefined)}
      onDoubleClick={() => onWindow({ from: 0, to: total })}
    >
      {lines.map((span, i) => {
        const { left, width } = layout(span, total);
        return (
          <i
            key={span.id}
            className={`${hue(span.agent)} ${span.state === "failed" ? "bad" : ""}`}
            style={{
              left: `${left}%`,
              width: `${width}%`,
              top: `${6 + (i / Math.max(lines.length, 8)) * 84}%`,
            }}
          />
        );
      })}
      <b
        style={{
          left: `${(window.from / total) * 100}%`,
          width: `${((window.to - window.from) / total) * 100}%`,
        }}
      />
    </div>
  );
}
