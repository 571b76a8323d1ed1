import { costs } from "@/lib/messages/costs";
import { roughMoney } from "@/lib/money";
import { type Box, type Guess, labelled, layoutSum } from "./chart";
import { useWidth } from "./measure";

/** How the month adds up, where it will end, and the budget it has. */
export function SumChart({
  spent,
  ahead,
  days,
  limit,
  summary,
}: {
  spent: readonly number[];
  ahead: { days: readonly number[]; end: Guess } | undefined;
  days: number;
  limit: number | undefined;
  summary: string;
}) {
  const [ref, width] = useWidth<HTMLDivElement>(304);
  const box: Box = { width, height: 218, left: 40, right: 8, top: 25, bottom: 20 };
  const chart = layoutSum(spent, ahead, days, box, limit);
  const pitch = (width - box.left - box.right) / days;
  const marks =
    spent.length > 3 && spent.length < days - 2 ? [0, spent.length - 1, days - 1] : labelled(days, pitch, 90);
  return (
    <div ref={ref}>
      <svg className="ch" width={width} height={box.height} role="img" aria-label={summary}>
        {chart.ticks.map((tick) => (
          <g key={tick.value}>
            <line className="grid" x1={box.left - 6} x2={width} y1={tick.y} y2={tick.y} />
            <text x={box.left - 12} y={tick.y + 3.5} textAnchor="end">
              {roughMoney(tick.value)}
            </text>
          </g>
        ))}
        <polygon points={chart.band} fill="var(--accent-soft)" />
        <polyline points={chart.area} fill="var(--accent-soft)" opacity=".55" />
        <polyline
          points={chart.expected}
          fill="none"
          stroke="var(--accent)"
          strokeWidth="1.6"
          strokeDasharray="3 4"
        />
        {chart.limitY !== undefined && limit !== undefined && (
          <>
            <line
              x1={box.left - 6}
              x2={width}
              y1={chart.limitY}
              y2={chart.limitY}
              stroke="var(--warn-edge)"
              strokeWidth="1.4"
            />
            <text x={width - 2} y={chart.limitY - 5} textAnchor="end" style={{ fill: "var(--warn)" }}>
              {costs.against.budget(roughMoney(limit))}
            </text>
          </>
        )}
        <polyline
          points={chart.line}
          fill="none"
          stroke="var(--accent)"
          strokeWidth="2"
          strokeLinejoin="round"
        />
        {chart.now && (
          <circle
            cx={chart.now.x}
            cy={chart.now.y}
            r="3.5"
            fill="var(--accent)"
            stroke="var(--bg-raised)"
            strokeWidth="2"
          />
        )}
        {marks.map((day) => (
          <text
            key={day}
            x={chart.xOf(day + 1)}
            y={box.height - 4}
            textAnchor={day === days - 1 ? "end" : "middle"}
          >
            {day + 1}
          </text>
        ))}
      </svg>
    </div>
  );
}
