import { costs } from "@/lib/messages/costs";
import { money, roughMoney } from "@/lib/money";
import { Pill } from "@/ui/bits";
import { View } from "@/ui/states";
import { Go } from "./open";
import type { Month } from "./period";
import type { Budget } from "./queries";
import { slotsOf } from "./series";
import { SumChart } from "./sum-chart";
import { type MonthData, wholeBudget } from "./use-month";

const words = costs.against;

/** How the month adds up against the budget of the whole workspace. */
export function AgainstCard({ month, data }: { month: Month; data: MonthData }) {
  const budget = month.today === undefined ? undefined : wholeBudget(data.budgets.data?.data, "monthly");
  const end = data.outlook?.end.price;
  return (
    <section className="card min-w-0" aria-label={budget ? words.title : words.titleBare}>
      <header className="hd">
        <h2>{budget ? words.title : words.titleBare}</h2>
        <span className="flex-1" />
        {budget ? (
          <Go href="/costs/budgets">
            <Standing budget={budget} end={end} />
          </Go>
        ) : (
          month.today !== undefined &&
          data.budgets.data && (
            <Go href="/costs/budgets" className="link text-small">
              {words.none}
            </Go>
          )
        )}
      </header>
      <div className="px-3.5 pb-2.5">
        <View query={data.trend}>
          {(page) => {
            const spent = slotsOf(month.days, page.data, [])
              .slice(0, (month.today ?? month.days.length - 1) + 1)
              .map((slot) => slot.parts[0] ?? 0);
            const sum = money(spent.reduce((a, b) => a + b, 0));
            return (
              <SumChart
                spent={spent}
                ahead={
                  data.outlook && {
                    days: [...data.outlook.days.values()].map((guess) => guess.price),
                    end: data.outlook.end,
                  }
                }
                days={month.days.length}
                limit={budget?.limit}
                summary={`${budget ? words.summary(sum, money(budget.limit)) : words.summaryBare(sum)} ${end ? words.ends(roughMoney(end)) : ""}`.trim()}
              />
            );
          }}
        </View>
      </div>
    </section>
  );
}

function Standing({ budget, end }: { budget: Budget; end: number | undefined }) {
  if (budget.spent >= budget.limit) return <Pill tone="bad">{words.over}</Pill>;
  if (end !== undefined && end > budget.limit) return <Pill tone="warn">{words.tight}</Pill>;
  return <Pill tone="ok">{words.onTrack}</Pill>;
}
