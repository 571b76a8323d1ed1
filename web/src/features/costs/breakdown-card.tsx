import { Bot, Box, DoorOpen, KeyRound, type LucideIcon, Plug, UserRound } from "lucide-react";
import { useState } from "react";
import { costs } from "@/lib/messages/costs";
import { short } from "@/lib/money";
import { Glyph } from "@/ui/bits";
import { Segmented } from "@/ui/segmented";
import { Empty, View } from "@/ui/states";
import { changeOf, changeText, Sum } from "./amount";
import { sparkline } from "./chart";
import { Go, huesFor, recordsHref, useAround, useName } from "./open";
import { dateId, type Month } from "./period";
import type { By, Share, Sums } from "./queries";
import { lastWeek, type Series, sameDays, shownSeries, useMixes, useSeries } from "./series";
import { type MonthData, wideWindowOf, windowOf } from "./use-month";

const words = costs.breakdown;
const icons: Record<By, LucideIcon> = {
  agent: Bot,
  model: Box,
  provider: Plug,
  user: UserRound,
  key: KeyRound,
  door: DoorOpen,
};
export const kinds = ["agent", "model", "provider", "user", "key", "door"] as const satisfies readonly By[];

type Query = {
  data: { data: Share[] } | undefined;
  error: unknown;
  isPending: boolean;
  isFetching: boolean;
  refetch: () => unknown;
};

/** What the month was spent on, the dearest first. */
export function BreakdownCard({
  month,
  by,
  onBy,
  shares,
  data,
}: {
  month: Month;
  by: By;
  onBy: (by: By) => void;
  shares: Query;
  data: MonthData;
}) {
  return (
    <section className="card min-w-0 overflow-hidden" aria-label={costs.by[by].title}>
      <header className="hd">
        <h2>{costs.by[by].title}</h2>
        <span className="flex-1" />
        <div className="max-w-full overflow-x-auto">
          <Segmented
            label={words.choose}
            value={by}
            onChange={onBy}
            options={kinds.map((value) => ({ value, label: costs.by[value].label }))}
          />
        </div>
      </header>
      <View
        query={shares}
        isEmpty={(page) => page.data.length === 0}
        empty={<Empty title={costs.chart.empty} body={costs.chart.emptyBody} />}
      >
        {(page) => <Rows month={month} by={by} shares={page.data} data={data} />}
      </View>
    </section>
  );
}

function Rows({
  month,
  by,
  shares,
  data,
}: {
  month: Month;
  by: By;
  shares: readonly Share[];
  data: MonthData;
}) {
  const [all, setAll] = useState(false);
  const { hues } = useAround();
  const series = useSeries(by, "day", wideWindowOf(month), shares);
  const names = series.map((one) => one.name);
  const mixes = useMixes(by, names, windowOf(month));
  const own = huesFor(by, names, hues);
  const shown = all ? shares : shares.slice(0, shownSeries + 1);
  const mixed = by !== "model" && by !== "provider";
  const totals = data.totals.data;
  const change = data.trend.data ? sameDays(data.trend.data.data, month) : undefined;
  return (
    <>
      <div className="tw">
        <table className="table tight cards" aria-label={costs.by[by].title}>
          <thead>
            <tr>
              <th scope="col">{costs.by[by].label}</th>
              {mixed ? <th scope="col">{words.mix}</th> : <td />}
              <th scope="col" className="r">
                {words.tokens}
              </th>
              <th scope="col" className="r">
                {words.spend}
              </th>
              <th scope="col" className="r">
                {words.share}
              </th>
              <th scope="col">{words.week}</th>
              <th scope="col" className="r">
                {words.change}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((share) => {
              const i = names.indexOf(share.name);
              return (
                <Row
                  key={share.name}
                  month={month}
                  by={by}
                  share={share}
                  hue={own[i] ?? ""}
                  series={series[i]}
                  mix={mixed ? mixes[i] : undefined}
                  mixed={mixed}
                />
              );
            })}
            {totals && (
              <tr className="font-medium">
                <td className="head-cell">{words.total}</td>
                <td />
                <td className="r num" data-label={words.tokens}>
                  {short(totals.input + totals.output)}
                </td>
                <td className="r num" data-label={words.spend}>
                  <Sum sums={totals} />
                </td>
                <td className="r num font-normal text-fg-3" data-label={words.share}>
                  {totals.price > 0 ? "100%" : ""}
                </td>
                <td />
                <td className="r num font-normal" data-label={words.change}>
                  {change && <Change {...change} />}
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {shares.length > shownSeries + 1 && (
        <button
          type="button"
          className="link block w-full border-t border-line px-3.5 py-2 text-left text-small"
          onClick={() => setAll(!all)}
        >
          {all ? words.fewer : words.all(shares.length)}
        </button>
      )}
    </>
  );
}

function Row({
  month,
  by,
  share,
  hue,
  series,
  mix,
  mixed,
}: {
  month: Month;
  by: By;
  share: Share;
  hue: string;
  series: Series | undefined;
  mix: readonly Share[] | undefined;
  mixed: boolean;
}) {
  const name = useName();
  const Icon = icons[by];
  const last = month.days[month.days.length - 1] ?? month.start;
  const href = recordsHref({ [by]: share.name, since: dateId(month.start), until: dateId(last) });
  const label = name(by, share.name);
  return (
    <tr className={hue}>
      <td className="head-cell">
        <span className="flex min-w-0 items-center gap-2">
          <Glyph hue={hue}>
            <Icon />
          </Glyph>
          {share.name === "" ? (
            <span className="text-fg-3">{label}</span>
          ) : (
            <Go href={href} className="trunc max-w-[150px] hover:underline" title={label}>
              {label}
            </Go>
          )}
        </span>
      </td>
      <td data-label={mixed ? words.mix : ""}>
        {mixed ? <Mix mix={mix} /> : <ShareBar percent={share.percent} />}
      </td>
      <td className="r num text-fg-2" data-label={words.tokens}>
        {short(share.input + share.output)}
      </td>
      <td className="r num" data-label={words.spend}>
        <SpendCell share={share} href={href} />
      </td>
      <td className="r num text-fg-3" data-label={words.share}>
        {Math.round(share.percent)}%
      </td>
      <td data-label={words.week}>{series?.points && <Spark values={lastWeek(series.points)} />}</td>
      <td className="r num" data-label={words.change}>
        {series?.points && <Change {...sameDays(series.points, month)} />}
      </td>
    </tr>
  );
}

function SpendCell({ share, href }: { share: Share; href: string }) {
  const text = <Sum sums={share} />;
  const part = share.unpriced > 0 && share.unpriced < share.calls;
  return (
    <>
      {share.name === "" ? (
        text
      ) : (
        <Go
          href={share.unpriced >= share.calls && share.calls > 0 ? "/costs/rates?missing=true" : href}
          className="figure"
        >
          {text}
        </Go>
      )}
      {part && (
        <Go href="/costs/rates?missing=true" className="ml-1 text-fg-3" title={words.some(share.unpriced)}>
          <span aria-hidden="true">*</span>
          <span className="sr-only">{words.some(share.unpriced)}</span>
        </Go>
      )}
    </>
  );
}

const shades = [1, 0.55, 0.28, 0.18, 0.12];

function Mix({ mix }: { mix: readonly Share[] | undefined }) {
  if (!mix || mix.length === 0) return null;
  const all = mix.reduce((sum, one) => sum + weight(one), 0) || 1;
  const text = mix.map((one) => `${one.name} ${Math.round((weight(one) / all) * 100)}%`).join(", ");
  return (
    <span className="mix" role="img" aria-label={text} title={text}>
      {mix.map((one, i) => (
        <span key={one.name} style={{ width: `${(weight(one) / all) * 100}%`, opacity: shades[i] ?? 0.1 }} />
      ))}
    </span>
  );
}

/** What has no price still shows, by its tokens' worth of a cent. */
const weight = (one: Sums) => one.price || one.calls;

function ShareBar({ percent }: { percent: number }) {
  return (
    <span className="share" aria-hidden="true">
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}

function Spark({ values }: { values: readonly number[] }) {
  return (
    <svg width="52" height="18" viewBox="0 0 52 18" aria-hidden="true" className="block">
      <polyline
        fill="none"
        stroke="var(--a-fill)"
        strokeWidth="1.4"
        strokeLinejoin="round"
        points={sparkline(values, 52, 18)}
      />
    </svg>
  );
}

function Change({ now, before }: { now: number; before: number }) {
  const percent = changeOf(now, before);
  if (percent === undefined) return <span className="text-fg-3">{costs.kpi.none}</span>;
  const tone = percent >= 10 ? "text-bad" : percent <= -3 ? "text-ok" : "text-fg-3";
  return (
    <span className={tone} title={words.changeOf(changeText(percent))}>
      {changeText(percent)}
    </span>
  );
}
