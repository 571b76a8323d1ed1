import { useQuery } from "@tanstack/react-query";
import { Check, CirclePause, Lock, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { costs } from "@/lib/messages/costs";
import { duration } from "@/lib/time";
import { unitText } from "./amount";
import { Go, recordsHref, useName } from "./open";
import { weekdayText } from "./period";
import { type Budget, type By, type Filter, type Projection, projectionQuery } from "./queries";

const words = costs.budgets;

export type Standing = { tone: "ok" | "warn" | "bad" | "off"; text: string; icon: ReactNode };

/** Where a budget stands, in a colour, an icon and words. */
export function standingOf(budget: Budget): Standing {
  if (!budget.enabled) return { tone: "off", text: words.off, icon: <CirclePause aria-hidden="true" /> };
  if (budget.spent >= budget.limit) {
    return {
      tone: "bad",
      text: budget.blocked > 0 ? words.exceededBlocked(budget.blocked) : words.exceeded,
      icon: <Lock aria-hidden="true" />,
    };
  }
  const marks = [...budget.thresholds].sort((a, b) => a - b);
  const passed = marks.findLast((mark) => budget.percent >= mark);
  // The first mark is a note on the way; from the second on it is a warning.
  if (passed !== undefined && (passed !== marks[0] || marks.length === 1))
    return { tone: "warn", text: words.passed(passed), icon: <TriangleAlert aria-hidden="true" /> };
  return { tone: "ok", text: words.onTrack, icon: <Check aria-hidden="true" /> };
}

const tones = { ok: "text-ok", warn: "text-warn", bad: "text-bad", off: "text-fg-3" };
export const toneClass = (standing: Standing) => tones[standing.tone];

/** How much of a budget is used, with the marks that warn. */
export function Track({ budget, large }: { budget: Budget; large?: boolean }) {
  const standing = standingOf(budget);
  const used = Math.min(100, (budget.spent / Math.max(budget.limit, 1)) * 100);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter element cannot show marks
    <div
      className={large ? "track l" : "track"}
      role="meter"
      aria-label={budgetName(budget)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(used)}
      aria-valuetext={`${words.of(unitText(budget.unit, budget.spent), unitText(budget.unit, budget.limit))}. ${standing.text}`}
    >
      <span className={standing.tone} style={{ width: `${used}%` }} />
      {budget.thresholds.map((mark) => (
        <i key={mark} style={{ left: `${mark}%` }} title={`${mark}%`} />
      ))}
    </div>
  );
}

export const budgetName = (budget: Budget) => budget.name || words.scopes[budget.scope] || budget.scope;

/** What a budget is for: "Agent Code · monthly". */
export function useScopeText(): (budget: Budget, short?: boolean) => string {
  const name = useName();
  return (budget, short) => {
    const period = words.periods[budget.period] ?? budget.period;
    if (budget.scope === "workspace") return period;
    const scope = (words.scopes[budget.scope] ?? budget.scope).toLowerCase();
    const which = budget.scope_id && !short ? name(budget.scope as By, budget.scope_id) : "";
    const said = which && which !== budget.name ? `${scope} ${which}` : scope;
    return `${said} · ${period}`;
  };
}

/** The records a budget counts in its current period. */
export function budgetFilter(budget: Budget): Filter {
  return {
    ...(budget.period === "total" ? {} : { since: budget.current.start }),
    ...(budget.scope !== "workspace" && budget.scope_id ? { [budget.scope]: budget.scope_id } : {}),
  };
}

export function Spent({ budget }: { budget: Budget }) {
  return (
    <span className="num whitespace-nowrap text-small">
      <Go href={recordsHref(budgetFilter(budget))} className={`figure ${toneClass(standingOf(budget))}`}>
        {unitText(budget.unit, budget.spent)}
      </Go>
      <span className="text-fg-3"> / {unitText(budget.unit, budget.limit)}</span>
    </span>
  );
}

export const percentOf = (projection: Projection) =>
  Math.round((projection.projected * 100) / Math.max(projection.limit, 1));

export function resetText(budget: Budget, now = Date.now()): string {
  if (!budget.current.end) return words.endless;
  return words.resets(duration(Math.max(0, Date.parse(budget.current.end) - now)));
}

/** One budget in three lines. */
export function BudgetRow({ budget }: { budget: Budget }) {
  const scope = useScopeText();
  const standing = standingOf(budget);
  return (
    <li className="bud">
      <div className="flex items-baseline gap-2">
        <Go href={`/costs/budgets#${budget.id}`} className="trunc font-medium hover:underline">
          {budgetName(budget)}
        </Go>
        <span className="trunc text-small text-fg-3" title={scope(budget)}>
          {scope(budget, true)}
        </span>
        <span className="flex-1" />
        <Spent budget={budget} />
      </div>
      <div className="my-2">
        <Track budget={budget} />
      </div>
      <div className="flex items-center justify-between gap-2 text-micro text-fg-3">
        <span className={`flex min-w-0 items-center gap-1 ${toneClass(standing)} [&>svg]:h-3 [&>svg]:w-3`}>
          {standing.icon}
          <span className="trunc">{standing.text}</span>
        </span>
        <Ahead budget={budget} />
      </div>
    </li>
  );
}

function Ahead({ budget }: { budget: Budget }) {
  const open = budget.enabled && budget.spent < budget.limit;
  const { data } = useQuery({ ...projectionQuery(budget.id), enabled: open && budget.period !== "daily" });
  if (open && data?.runs_out_at)
    return (
      <span className="num whitespace-nowrap text-warn">
        {words.runsOutShort(weekdayText(new Date(data.runs_out_at)))}
      </span>
    );
  return (
    <span className="num whitespace-nowrap">
      {open && data ? words.expected(percentOf(data)) : resetText(budget)}
    </span>
  );
}
