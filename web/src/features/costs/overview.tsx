import { useQuery } from "@tanstack/react-query";
import { CircleHelp, Sparkles } from "lucide-react";
import { costs } from "@/lib/messages/costs";
import { money } from "@/lib/money";
import { Empty, View } from "@/ui/states";
import { AgainstCard } from "./against-card";
import { BreakdownCard } from "./breakdown-card";
import { BudgetRow } from "./budget-bits";
import { Kpis } from "./kpis";
import { Go } from "./open";
import type { Month } from "./period";
import { type By, breakdownQuery, type Step } from "./queries";
import { SavingsCard } from "./savings-card";
import { TrendCard } from "./trend-card";
import { type MonthData, useMonth, windowOf } from "./use-month";

/** A month of spending on one page. */
export function CostsOverview({
  month,
  now,
  by,
  onBy,
  step,
  onStep,
}: {
  month: Month;
  now: Date;
  by: By;
  onBy: (by: By) => void;
  step: Step;
  onStep: (step: Step) => void;
}) {
  const data = useMonth(month, now);
  const shares = useQuery(breakdownQuery(by, windowOf(month)));
  const pretend = data.totals.data?.pretend ?? 0;
  const unpriced = data.totals.data?.unpriced ?? 0;
  return (
    <div className="costs flex flex-col gap-3">
      <Kpis month={month} data={data} now={now} />
      {pretend > 0 && (
        <p className="ban acc">
          <Sparkles aria-hidden="true" />
          {costs.pretendNote(money(pretend))}
        </p>
      )}
      {unpriced > 0 && (
        <p className="ban">
          <CircleHelp className="text-warn" aria-hidden="true" />
          <span>
            {costs.unpriced.note(unpriced)}{" "}
            <Go href="/costs/rates?missing=true" className="link">
              {costs.unpriced.see}
            </Go>
          </span>
        </p>
      )}
      <div className="two">
        <TrendCard
          month={month}
          now={now}
          by={by}
          step={step}
          onStep={onStep}
          data={data}
          shares={shares.data?.data}
        />
        <AgainstCard month={month} data={data} />
      </div>
      <div className="three">
        <BudgetsCard data={data} />
        <BreakdownCard month={month} by={by} onBy={onBy} shares={shares} data={data} />
        <SavingsCard />
      </div>
    </div>
  );
}

const words = costs.budgets;

function BudgetsCard({ data }: { data: MonthData }) {
  const active = data.budgets.data?.data.filter((one) => one.enabled).length ?? 0;
  return (
    <section className="card min-w-0 overflow-hidden" aria-label={words.title}>
      <header className="hd">
        <h2>{words.title}</h2>
        <span className="flex-1" />
        <Go href="/costs/budgets" className="text-small text-fg-3 hover:underline">
          {words.active(active)}
        </Go>
      </header>
      <View
        query={data.budgets}
        isEmpty={(page) => page.data.length === 0}
        empty={<Empty title={words.empty} body={words.emptyBody} />}
      >
        {(page) => (
          <ul>
            {[...page.data]
              .sort((a, b) => Number(b.enabled) - Number(a.enabled) || b.percent - a.percent)
              .slice(0, 5)
              .map((budget) => (
                <BudgetRow key={budget.id} budget={budget} />
              ))}
          </ul>
        )}
      </View>
    </section>
  );
}
