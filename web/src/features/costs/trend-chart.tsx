import clsx from "clsx";
import { type KeyboardEvent, type MouseEvent, useId, useRef, useState } from "react";
import { costs } from "@/lib/messages/costs";
import { money, roughMoney } from "@/lib/money";
import { type Bar, type Box, labelled, layoutBars, type Slot } from "./chart";
import { useWidth } from "./measure";
import { plain, useAround } from "./open";

const words = costs.chart;

/** Marks and axes: the sentence of the chart says what they show. */
const unspoken = { "aria-hidden": true } as const;

export type Legend = { name: string; label: string; hue: string };

export type Moment = {
  /** Under the axis, short; where some are empty, the others are all shown. */
  mark: string;
  /** In words. */
  text: string;
  /** The records of this step, or of one series in it. */
  href: (series?: string) => string;
};

/** Bars over time. One stop for the keyboard: arrows move along, Enter opens what a bar is made of. */
export function TrendChart({
  slots,
  moments,
  legend,
  today,
  limit,
  summary,
}: {
  slots: readonly Slot[];
  moments: readonly Moment[];
  legend: readonly Legend[];
  today: number | undefined;
  limit?: number | undefined;
  summary: string;
}) {
  const [ref, width] = useWidth<HTMLDivElement>(740);
  const [active, setActive] = useState<number>();
  const [stop, setStop] = useState(today ?? 0);
  const list = useRef<SVGGElement>(null);
  const hatch = useId();
  const box: Box = { width, height: 214, left: 40, right: 2, top: 27, bottom: 20 };
  const { bars, ticks, limitY, base } = layoutBars(slots, box, limit);
  const pitch = (width - box.left - box.right) / Math.max(slots.length, 1);
  const border =
    today !== undefined && today < slots.length - 1 && slots.some((slot) => slot.guess)
      ? bars[today]
      : undefined;
  const some = moments.some((moment) => moment.mark === "");
  const marks = some
    ? moments.flatMap((moment, i) => (moment.mark ? [i] : []))
    : labelled(slots.length, pitch, 28);
  const move = (event: KeyboardEvent) => {
    const to = { ArrowRight: stop + 1, ArrowLeft: stop - 1, Home: 0, End: slots.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = Math.min(Math.max(to, 0), slots.length - 1);
    setStop(next);
    list.current?.querySelectorAll<SVGAElement>("a")[next]?.focus();
  };
  return (
    <div ref={ref} className="relative">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot hold a drawing */}
      <svg
        className="ch"
        width={width}
        height={box.height}
        role="group"
        aria-label={`${summary} ${words.keys}`}
      >
        <defs>
          <pattern
            id={hatch}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <line x1="0" y1="0" x2="0" y2="5" stroke="var(--line-2)" strokeWidth="2" />
          </pattern>
        </defs>
        <g {...unspoken}>
          {ticks.map((tick) => (
            <g key={tick.value}>
              <line className="grid" x1={box.left - 6} x2={width} y1={tick.y} y2={tick.y} />
              <text x={box.left - 12} y={tick.y + 3.5} textAnchor="end">
                {roughMoney(tick.value)}
              </text>
            </g>
          ))}
          {marks.map((i) => (
            <text key={i} x={bars[i]?.middle} y={box.height - 4} textAnchor="middle">
              {moments[i]?.mark}
            </text>
          ))}
        </g>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the links inside have the focus, this only moves it */}
        <g ref={list} onKeyDown={move} onPointerLeave={() => setActive(undefined)}>
          {bars.map((bar, i) => (
            <OneBar
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
              key={i}
              bar={bar}
              base={base}
              top={box.top}
              pitch={pitch}
              moment={moments[i]}
              label={label(moments[i]?.text ?? "", slots[i])}
              legend={legend}
              hatch={hatch}
              partial={i === today}
              tabIndex={i === Math.min(stop, slots.length - 1) ? 0 : -1}
              onActive={() => {
                setActive(i);
              }}
              onLeave={() => setActive(undefined)}
            />
          ))}
        </g>
        {limitY !== undefined && limit !== undefined && (
          <g {...unspoken}>
            <line
              x1={box.left - 6}
              x2={width}
              y1={limitY}
              y2={limitY}
              stroke="var(--warn-edge)"
              strokeWidth="1.4"
            />
            <text x={width - 2} y={limitY - 5} textAnchor="end" style={{ fill: "var(--warn)" }}>
              {words.limit(roughMoney(limit))}
            </text>
          </g>
        )}
        {border && (
          <g {...unspoken}>
            <line
              x1={border.x + border.width + (pitch - border.width) / 2}
              x2={border.x + border.width + (pitch - border.width) / 2}
              y1="8"
              y2={base}
              stroke="var(--fg-3)"
              strokeDasharray="2 3"
            />
            <text x={border.middle + pitch / 2 + 6} y="16" style={{ fill: "var(--fg-2)" }}>
              {words.forecast}
            </text>
            <text x={border.middle + pitch / 2 - 6} y="16" textAnchor="end">
              {words.today}
            </text>
          </g>
        )}
      </svg>
      {active !== undefined && (
        <Tip
          slot={slots[active]}
          text={moments[active]?.text ?? ""}
          legend={legend}
          x={bars[active]?.middle ?? 0}
          width={width}
        />
      )}
    </div>
  );
}

const sumOf = (slot: Slot | undefined) => slot?.parts.reduce((a, b) => a + b, 0) ?? 0;

function label(text: string, slot: Slot | undefined): string {
  const guess = slot?.guess;
  return words.bar(
    text,
    guess
      ? words.expected(money(guess.price), roughMoney(guess.low), roughMoney(guess.high))
      : money(sumOf(slot)),
  );
}

function OneBar({
  bar,
  base,
  top,
  pitch,
  moment,
  label: name,
  legend,
  hatch,
  partial,
  tabIndex,
  onActive,
  onLeave,
}: {
  bar: Bar;
  base: number;
  top: number;
  pitch: number;
  moment: Moment | undefined;
  label: string;
  legend: readonly Legend[];
  hatch: string;
  partial: boolean;
  tabIndex: number;
  onActive: () => void;
  onLeave: () => void;
}) {
  const { go } = useAround();
  const open = (event: MouseEvent) => {
    if (!moment || !plain(event)) return;
    event.preventDefault();
    const series = event.target instanceof SVGElement ? event.target.dataset.series : undefined;
    go(moment.href(series));
  };
  return (
    <a
      className="bar"
      href={moment?.href()}
      aria-label={name}
      tabIndex={tabIndex}
      onClick={open}
      onPointerEnter={onActive}
      onFocus={onActive}
      onBlur={onLeave}
    >
      <rect className="hit" x={bar.middle - pitch / 2} y={top} width={pitch} height={base - top} rx="3" />
      {bar.segments.map((segment) => (
        <rect
          key={segment.series}
          className={clsx("seg-fill", legend[segment.series]?.hue)}
          data-series={legend[segment.series]?.name || undefined}
          x={bar.x}
          y={segment.y}
          width={bar.width}
          height={segment.height}
          rx={Math.min(1.5, bar.width / 4)}
          opacity={partial ? 0.75 : 1}
        />
      ))}
      {bar.guess && (
        <>
          <rect
            x={bar.x}
            y={bar.guess.y}
            width={bar.width}
            height={bar.guess.height}
            rx="2"
            fill={`url(#${hatch})`}
            stroke="var(--line-2)"
          />
          <path
            d={`M${bar.middle} ${bar.guess.high}V${bar.guess.low}M${bar.middle - 2.5} ${bar.guess.high}h5M${bar.middle - 2.5} ${bar.guess.low}h5`}
            stroke="var(--line-3)"
            fill="none"
          />
        </>
      )}
    </a>
  );
}

function Tip({
  slot,
  text,
  legend,
  x,
  width,
}: {
  slot: Slot | undefined;
  text: string;
  legend: readonly Legend[];
  x: number;
  width: number;
}) {
  const right = x > width / 2;
  return (
    <div
      className="ch-tip num"
      aria-hidden="true"
      style={right ? { right: width - x + 18 } : { left: x + 18 }}
    >
      <div className="flex justify-between gap-4 font-medium">
        <span>{text}</span>
        <span>{money(slot?.guess ? slot.guess.price : sumOf(slot))}</span>
      </div>
      {slot?.guess ? (
        <div className="text-fg-3">
          {words.expected(money(slot.guess.price), roughMoney(slot.guess.low), roughMoney(slot.guess.high))}
        </div>
      ) : (
        slot?.parts.map(
          (part, i) =>
            part > 0 && (
              <div key={legend[i]?.label} className="leg justify-between gap-4">
                <span className={clsx("flex items-center gap-1.5", legend[i]?.hue)}>
                  <i />
                  {legend[i]?.label}
                </span>
                <span>{money(part)}</span>
              </div>
            ),
        )
      )}
    </div>
  );
}
