import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import type { ReactNode } from "react";
import { sumText } from "@/features/costs/amount";
import { budgetsQuery, todayQuery } from "@/features/costs/queries";
import { wholeBudget } from "@/features/costs/use-month";
import { recentRunsQuery } from "@/features/runs/queries";
import { count } from "@/lib/format";
import { overview } from "@/lib/messages/overview";
import { money, short } from "@/lib/money";
import { duration } from "@/lib/time";
import { useCan } from "../../session";
import { todayOf } from "../today";

const words = overview.today;

/** The day in five numbers; each opens what it counts. */
export function Today() {
  const can = useCan();
  const runs = useQuery(recentRunsQuery);
  const spent = useQuery({ ...todayQuery(), enabled: can("costs:read") });
  const budgets = useQuery({ ...budgetsQuery, enabled: can("costs:read") });
  const facts = todayOf(runs.data?.data ?? [], new Date());
  const budget = wholeBudget(budgets.data?.data, "daily");
  const loaded = runs.data !== undefined;
  return (
    <section className="card today" aria-label={words.title}>
      {can("costs:read") && (
        <Cell
          name={words.spent}
          value={spent.data ? sumText(spent.data) : words.none}
          note={
            budget
              ? words.ofBudget(money(budget.limit))
              : spent.data?.pretend
                ? words.pretend
                : words.noBudget
          }
          to={budget ? "/costs/budgets" : "/costs"}
        >
          {budget && <Meter percent={budget.percent} />}
        </Cell>
      )}
      <Cell
        name={words.runs}
        value={loaded ? count(facts.runs) : words.none}
        note={words.working(facts.working)}
        to="/traces"
      />
      <Cell
        name={words.tokens}
        value={spent.data ? short(spent.data.input + spent.data.output) : words.none}
        note={spent.data ? words.inOut(short(spent.data.input), short(spent.data.output)) : ""}
        to={can("costs:read") ? "/costs/records" : "/traces"}
      />
      <Cell
        name={words.failed}
        value={loaded ? count(facts.failed) : words.none}
        note={facts.runs > 0 ? words.share(Math.round((facts.failed / facts.runs) * 100)) : ""}
        to="/traces"
        search={{ state: "failed" }}
        bad={facts.failed > 0}
      />
      <Cell
        name={words.p95}
        value={facts.p95 === undefined ? words.none : duration(facts.p95)}
        note={facts.median === undefined ? "" : words.median(duration(facts.median))}
        to="/traces"
      />
    </section>
  );
}

function Cell({
  name,
  value,
  note,
  to,
  search,
  bad,
  children,
}: {
  name: string;
  value: string;
  note: string;
  to: "/costs" | "/costs/budgets" | "/costs/records" | "/traces";
  search?: { state: "failed" };
  bad?: boolean;
  children?: ReactNode;
}) {
  return (
    <Link to={to} search={search ?? {}} className="block px-4 py-3.5 hover:bg-hover">
      <span className="block text-small text-fg-3">{name}</span>
      <span className={clsx("num block text-kpi font-medium tracking-tight", bad && "text-bad")}>
        {value}
      </span>
      {children}
      <span className="num block text-small text-fg-3">{note}</span>
    </Link>
  );
}

function Meter({ percent }: { percent: number }) {
  const tone = percent >= 100 ? "bad" : percent >= 80 ? "warn" : "ok";
  return (
    <span className="meter" aria-hidden="true">
      <i className={tone} style={{ width: `${Math.min(100, percent)}%` }} />
    </span>
  );
}
