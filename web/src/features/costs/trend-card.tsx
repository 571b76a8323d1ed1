import { useQuery } from "@tanstack/react-query";
import { ChartColumn, Table2 } from "lucide-react";
import { useState } from "react";
import { costs } from "@/lib/messages/costs";
import { money, roughMoney } from "@/lib/money";
import { IconButton } from "@/ui/button";
import { Segmented } from "@/ui/segmented";
import { Empty, Problem, View } from "@/ui/states";
import { Table } from "@/ui/table";
import type { Slot } from "./chart";
import { Go, huesFor, recordsHref, useAround, useName } from "./open";
import { dateId, dayText, hourText, type Month, weekdayText } from "./period";
import { type By, type Point, type Share, type Step, trendQuery } from "./queries";
import { type Series, slotsOf, useSeries } from "./series";
import { type Legend, type Moment, TrendChart } from "./trend-chart";
import { type MonthData, wholeBudget, wideWindowOf } from "./use-month";

const words = costs.chart;
const hours = 48;

/** What was spent over time, by what it was spent on, with what is expected. */
export function TrendCard({
  month,
  now,
  by,
  step,
  onStep,
  data,
  shares,
}: {
  month: Month;
  now: Date;
  by: By;
  step: Step;
  onStep: (step: Step) => void;
  data: MonthData;
  shares: readonly Share[] | undefined;
}) {
  const [table, setTable] = useState(false);
  const hourly = step === "hour";
  const from = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000 - (hours - 1) * 3_600_000);
  const window = hourly ? { since: from.toISOString() } : wideWindowOf(month);
  const total = useQuery(trendQuery(step, window));
  const series = useSeries(by, step, window, shares);
  const legend = useLegend(by, series);
  const moments = hourly ? hoursFrom(from) : month.days;
  return (
    <section className="card min-w-0" aria-label={costs.by[by][hourly ? "hourly" : "daily"]}>
      <header className="hd">
        <h2>{costs.by[by][hourly ? "hourly" : "daily"]}</h2>
        <div className="flex min-w-0 flex-1 justify-end">
          <LegendList by={by} legend={legend} month={month} />
        </div>
        <span className="flex items-center gap-2">
          <Segmented
            label={words.step}
            value={step}
            onChange={onStep}
            options={[
              { value: "day", label: words.day },
              { value: "hour", label: words.hour },
            ]}
          />
          <IconButton
            label={table ? words.chart : words.table}
            aria-pressed={table}
            onClick={() => setTable(!table)}
          >
            {table ? <ChartColumn aria-hidden="true" /> : <Table2 aria-hidden="true" />}
          </IconButton>
        </span>
      </header>
      <div className="px-3.5 pb-2.5">
        <View query={total}>
          {(page) => (
            <Drawn
              points={page.data}
              series={series}
              legend={legend}
              days={moments}
              hourly={hourly}
              by={by}
              data={data}
              today={hourly ? moments.length - 1 : month.today}
              table={table}
            />
          )}
        </View>
        {!hourly && data.forecast.error != null && (
          <Problem error={data.forecast.error} retry={() => void data.forecast.refetch()} />
        )}
      </div>
    </section>
  );
}

const hoursFrom = (from: Date) =>
  Array.from({ length: hours }, (_, i) => new Date(from.getTime() + i * 3_600_000));

function useLegend(by: By, series: readonly Series[]): Legend[] {
  const { hues } = useAround();
  const name = useName();
  const own = huesFor(
    by,
    series.map((one) => one.name),
    hues,
  );
  return [
    ...series.map((one, i) => ({ name: one.name, label: name(by, one.name), hue: own[i] ?? "" })),
    { name: "", label: words.rest, hue: "" },
  ];
}

function LegendList({ by, legend, month }: { by: By; legend: readonly Legend[]; month: Month }) {
  const last = month.days[month.days.length - 1] ?? month.start;
  return (
    <span className="leg max-sm:hidden">
      {legend
        .filter((one) => one.name)
        .map((one) => (
          <Go
            key={one.name}
            className={one.hue}
            href={recordsHref({ [by]: one.name, since: dateId(month.start), until: dateId(last) })}
          >
            <i />
            {one.label}
          </Go>
        ))}
    </span>
  );
}

function Drawn({
  points,
  series,
  legend,
  days,
  hourly,
  by,
  data,
  today,
  table,
}: {
  points: readonly Point[];
  series: readonly Series[];
  legend: readonly Legend[];
  days: readonly Date[];
  hourly: boolean;
  by: By;
  data: MonthData;
  today: number | undefined;
  table: boolean;
}) {
  const outlook = hourly ? undefined : data.outlook;
  const slots = slotsOf(days, points, series, outlook?.days);
  const moments = days.map((at): Moment => momentOf(at, hourly, by));
  if (slots.every((slot) => slot.parts.every((part) => part === 0)))
    return <Ghost days={days} hourly={hourly} />;
  if (table) return <AsTable slots={slots} moments={moments} legend={legend} by={by} />;
  return (
    <TrendChart
      slots={slots}
      moments={moments}
      legend={legend}
      today={today}
      limit={hourly ? undefined : wholeBudget(data.budgets.data?.data, "daily")?.limit}
      summary={summaryOf(slots, moments, outlook?.end.price)}
    />
  );
}

function momentOf(at: Date, hourly: boolean, by: By): Moment {
  const span = hourly
    ? { since: at.toISOString(), until: new Date(at.getTime() + 3_600_000).toISOString() }
    : { since: dateId(at), until: dateId(at) };
  return {
    mark: hourly ? hourMark(at) : String(at.getDate()),
    text: hourly ? `${dayText(at)}, ${hourText(at)}` : weekdayText(at),
    href: (series) => recordsHref(series ? { ...span, [by]: series } : span),
  };
}

/** Midnight is named by its day, then every sixth hour. */
function hourMark(at: Date): string {
  if (at.getHours() === 0) return dayText(at);
  return at.getHours() % 6 === 0 ? hourText(at) : "";
}

/** The chart in one sentence, for those who do not see it. */
export function summaryOf(
  slots: readonly Slot[],
  moments: readonly Moment[],
  end: number | undefined,
): string {
  const sums = slots.map((slot) => slot.parts.reduce((a, b) => a + b, 0));
  const most = sums.indexOf(Math.max(...sums));
  const last = sums.findLastIndex((sum) => sum > 0);
  const text = (i: number) => moments[i]?.text ?? "";
  const sentence = words.summary(
    money(sums.reduce((a, b) => a + b, 0)),
    text(0),
    text(Math.max(last, 0)),
    text(most),
    money(sums[most] ?? 0),
  );
  return end === undefined
    ? sentence
    : `${sentence} ${words.summaryAhead(roughMoney(end), text(slots.length - 1))}`;
}

/** The shape of a month before anything was spent. */
function Ghost({ days, hourly }: { days: readonly Date[]; hourly: boolean }) {
  const slots = days.map((_, i): Slot => {
    const price = (3 + 2 * Math.sin(i * 0.9) + (i % 3)) * 1e6;
    return { parts: [], guess: { price, low: price, high: price } };
  });
  return (
    <div className="relative">
      <div aria-hidden="true" inert className="opacity-40">
        <TrendChart
          slots={slots}
          moments={days.map((at) => ({ ...momentOf(at, hourly, "agent"), text: "" }))}
          legend={[]}
          today={undefined}
          summary={words.empty}
        />
      </div>
      <div className="absolute inset-0 grid place-items-center">
        <div className="rounded-l bg-raised">
          <Empty title={words.empty} body={words.emptyBody} />
        </div>
      </div>
    </div>
  );
}

function AsTable({
  slots,
  moments,
  legend,
  by,
}: {
  slots: readonly Slot[];
  moments: readonly Moment[];
  legend: readonly Legend[];
  by: By;
}) {
  const rows = slots.map((slot, i) => ({
    slot,
    moment: moments[i],
    sum: slot.parts.reduce((a, b) => a + b, 0),
  }));
  return (
    <div className="max-h-[420px] overflow-y-auto">
      <Table
        label={costs.by[by].title}
        rows={rows}
        id={(row) => row.moment?.text ?? ""}
        columns={[
          { head: words.when, cell: (row) => <Go href={row.moment?.href() ?? ""}>{row.moment?.text}</Go> },
          ...legend.map((one, i) => ({
            head: one.label,
            right: true,
            cell: (row: (typeof rows)[number]) => (
              <span className="num text-fg-2">{row.slot.guess ? "" : money(row.slot.parts[i] ?? 0)}</span>
            ),
          })),
          {
            head: words.total,
            right: true,
            cell: (row) => (
              <span className="num">
                {row.slot.guess
                  ? words.expected(
                      money(row.slot.guess.price),
                      roughMoney(row.slot.guess.low),
                      roughMoney(row.slot.guess.high),
                    )
                  : money(row.sum)}
              </span>
            ),
          },
        ]}
      />
    </div>
  );
}
