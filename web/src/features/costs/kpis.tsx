import { TrendingDown, TrendingUp } from "lucide-react";
import type { ReactNode } from "react";
import { count } from "@/lib/format";
import { costs } from "@/lib/messages/costs";
import { itemMoney, money, roughMoney, short } from "@/lib/money";
import { changeOf, perCall, sumText } from "./amount";
import { Go, recordsHref } from "./open";
import { dateId, dayText, type Month, monthText } from "./period";
import { type MonthData, wholeBudget } from "./use-month";

const words = costs.kpi;

/** The month in five numbers. */
export function Kpis({ month, data, now }: { month: Month; data: MonthData; now: Date }) {
  const totals = data.totals.data;
  const lastDay = month.days[month.days.length - 1] ?? month.start;
  const all = recordsHref({ since: dateId(month.start), until: dateId(lastDay) });
  const running = month.today !== undefined;
  return (
    <dl className="card kp" aria-label={words.label}>
      <Cell
        name={running ? words.toDate : words.whole(monthText(month.start))}
        value={totals && <Go href={all}>{sumText(totals)}</Go>}
      >
        <Against month={month} data={data} />
      </Cell>
      <ForecastCell month={month} data={data} lastDay={lastDay} />
      <TodayCell data={data} now={now} running={running} href={all} />
      <Cell name={words.perRequest} value={totals && <Go href={all}>{text(perCall(totals), itemMoney)}</Go>}>
        <PerCallChange month={month} data={data} />
      </Cell>
      <Cell
        name={words.cache}
        value={
          totals &&
          text(totals.input > 0 ? (totals.cached / totals.input) * 100 : undefined, (n) => `${n.toFixed(1)}%`)
        }
      >
        {totals && words.ofInput(short(totals.input))}
      </Cell>
    </dl>
  );
}

const text = (value: number | undefined, format: (n: number) => string) =>
  value === undefined ? words.none : format(value);

function Cell({ name, value, children }: { name: string; value: ReactNode; children?: ReactNode }) {
  return (
    <div>
      <dt className="text-small text-fg-3">{name}</dt>
      <dd className="big">{value ?? <span className="sk mt-2 block w-20" />}</dd>
      <dd className="sub">{children}</dd>
    </div>
  );
}

function Against({ month, data }: { month: Month; data: MonthData }) {
  const name = monthText(month.before).split(" ")[0] ?? "";
  if (!data.totals.data || !data.before.data) return null;
  const change = changeOf(data.totals.data.price, data.before.data.price);
  if (change === undefined) return words.nothingBefore(name);
  return (
    <>
      <Change percent={change} />
      {month.today === undefined ? words.againstWhole(name) : words.against(name)}
    </>
  );
}

/** More is a warning, less is good; the arrow and the sign say it too. */
function Change({ percent, label }: { percent: number; label?: string }) {
  const up = percent > 0;
  const Icon = up ? TrendingUp : TrendingDown;
  return (
    <span className={`flex items-center gap-[3px] ${up ? "text-warn" : percent < 0 ? "text-ok" : ""}`}>
      {percent !== 0 && <Icon aria-hidden="true" />}
      {label ?? `${up ? "+" : percent < 0 ? "−" : ""}${Math.abs(percent)}%`}
    </span>
  );
}

function ForecastCell({ month, data, lastDay }: { month: Month; data: MonthData; lastDay: Date }) {
  const { outlook, forecast, young, burn, totals } = data;
  if (month.today === undefined) {
    return (
      <Cell name={costs.breakdown.calls} value={totals.data && count(totals.data.calls)}>
        {totals.data && words.tokens(short(totals.data.input + totals.data.output))}
      </Cell>
    );
  }
  const name = words.forecast(dayText(lastDay));
  if (outlook) {
    return (
      <Cell name={name} value={roughMoney(outlook.end.price)}>
        {words.band(roughMoney(outlook.end.low), roughMoney(outlook.end.high))}
      </Cell>
    );
  }
  const early = young || forecast.data === null || forecast.error;
  return (
    <Cell name={name} value={early ? text(burn.data?.month_projected, roughMoney) : undefined}>
      {early && (burn.data ? words.pace : words.tooEarly)}
    </Cell>
  );
}

function TodayCell({
  data,
  now,
  running,
  href,
}: {
  data: MonthData;
  now: Date;
  running: boolean;
  href: string;
}) {
  if (!running) {
    const totals = data.totals.data;
    return (
      <Cell
        name={words.failed}
        value={totals && <Go href={`${href}&outcome=failed`}>{count(totals.failed)}</Go>}
      >
        {totals && words.requests(totals.calls)}
      </Cell>
    );
  }
  const daily = wholeBudget(data.budgets.data?.data, "daily");
  const day = dateId(now);
  return (
    <Cell
      name={words.today}
      value={
        data.today.data && <Go href={recordsHref({ since: day, until: day })}>{sumText(data.today.data)}</Go>
      }
    >
      {daily
        ? words.ofDaily(money(daily.limit))
        : data.burn.data && words.perHour(money(data.burn.data.per_hour))}
    </Cell>
  );
}

function PerCallChange({ month, data }: { month: Month; data: MonthData }) {
  const now = perCall(data.totals.data);
  const before = perCall(data.before.data);
  const change = now !== undefined && before !== undefined ? changeOf(now, before) : undefined;
  if (change === undefined) return data.totals.data ? words.requests(data.totals.data.calls) : null;
  const name = monthText(month.before).split(" ")[0] ?? "";
  return <Change percent={change} label={words.since(`${Math.abs(change)}%`, name)} />;
}
