import { useQuery } from "@tanstack/react-query";
import { Tags, TriangleAlert } from "lucide-react";
import { useMemo } from "react";
import { count } from "@/lib/format";
import { rank } from "@/lib/fuzzy";
import { common } from "@/lib/messages/common";
import { costs } from "@/lib/messages/costs";
import { itemMoney, short } from "@/lib/money";
import { Pill } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Checkbox, Input } from "@/ui/field";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { NoPrice, Pretend, Sum } from "./amount";
import { Go, recordsHref } from "./open";
import { dateId, type Month } from "./period";
import { breakdownQuery, type Rate, ratesQuery, type Share } from "./queries";
import { windowOf } from "./use-month";

const words = costs.rates;

export type Line = { id: string; rate: Rate | undefined; used: Share | undefined };

/** Models with what they were used for this month; those in use that nobody listed come along. */
export function linesOf(rates: readonly Rate[], shares: readonly Share[]): Line[] {
  const used = new Map(shares.map((share) => [share.name, share]));
  const lines = rates.map((rate): Line => {
    const bare = rate.provider ? rate.id.slice(rate.provider.length + 1) : rate.id;
    const share = used.get(bare) ?? used.get(rate.id);
    return { id: rate.id, rate, used: share };
  });
  const seen = new Set(lines.map((line) => line.used?.name));
  const unlisted = shares.filter((share) => !seen.has(share.name) && share.name !== "");
  return [
    ...unlisted.map((share): Line => ({ id: share.name, rate: undefined, used: share })),
    ...lines,
  ].sort((a, b) => Number(lacks(b)) - Number(lacks(a)) || (b.used?.price ?? 0) - (a.used?.price ?? 0));
}

/** True for a model in use whose calls could not be priced. */
const lacks = (line: Line) => (line.used?.unpriced ?? 0) > 0;
const priceless = (line: Line) => lacks(line) || (!line.rate?.price && !line.rate?.targets);

/** What models cost. */
export function Rates({
  month,
  q,
  missing,
  onSearch,
}: {
  month: Month;
  q: string;
  missing: boolean;
  onSearch: (search: { q: string; missing: boolean }) => void;
}) {
  const rates = useQuery(ratesQuery);
  const shares = useQuery(breakdownQuery("model", windowOf(month), 500));
  const lines = useMemo(() => linesOf(rates.data ?? [], shares.data?.data ?? []), [rates.data, shares.data]);
  const lacking = lines.filter(lacks);
  const found = rank(q, lines, (line) => line.id)
    .map(({ item }) => item)
    .filter((line) => !missing || priceless(line));
  return (
    <div className="costs flex flex-col gap-3">
      {lacking.length > 0 && (
        <div className="ban warn" role="status">
          <TriangleAlert aria-hidden="true" />
          <span className="flex-1">
            <b className="font-medium">{words.missing(lacking.length)}.</b> {words.missingBody}
          </span>
          <Go href="/settings/config?q=models.known" className="btn">
            {words.toSettings}
          </Go>
        </div>
      )}
      <Section
        title={words.title}
        note={words.note}
        flush
        actions={
          <>
            <Checkbox
              label={words.onlyMissing}
              checked={missing}
              onChange={(event) => onSearch({ q, missing: event.target.checked })}
            />
            <Input
              type="search"
              className="!w-[200px]"
              aria-label={words.find}
              placeholder={words.find}
              value={q}
              onChange={(event) => onSearch({ q: event.target.value, missing })}
            />
          </>
        }
      >
        <View
          query={rates}
          rows={8}
          isEmpty={() => found.length === 0}
          empty={
            <Empty
              icon={<Tags />}
              title={q || missing ? words.none : words.empty}
              body={q || missing ? words.noneBody : words.emptyBody}
            >
              {(q || missing) && (
                <Button onClick={() => onSearch({ q: "", missing: false })}>{common.actions.clear}</Button>
              )}
            </Empty>
          }
        >
          {() => <Table label={words.title} rows={found} id={(line) => line.id} columns={columns(month)} />}
        </View>
      </Section>
    </div>
  );
}

function columns(month: Month): Column<Line>[] {
  const last = month.days[month.days.length - 1] ?? month.start;
  const href = (line: Line) =>
    recordsHref({ model: line.used?.name ?? line.id, since: dateId(month.start), until: dateId(last) });
  const price = (
    head: string,
    of: (rate: NonNullable<Rate["price"]>) => number | undefined,
  ): Column<Line> => ({
    head,
    right: true,
    cell: (line) => (
      <Price line={line} value={line.rate?.price && of(line.rate.price)} known={!!line.rate?.price} />
    ),
  });
  return [
    { head: words.model, cell: (line) => <ModelName line={line} /> },
    price(words.input, (one) => one.input),
    price(words.cached, (one) => one.cache_read),
    price(words.output, (one) => one.output),
    {
      head: words.context,
      right: true,
      cell: (line) => line.rate?.context && <span className="num text-fg-3">{short(line.rate.context)}</span>,
    },
    {
      head: words.calls,
      right: true,
      cell: (line) =>
        line.used && (
          <Go href={href(line)} className="figure num">
            {count(line.used.calls)}
          </Go>
        ),
    },
    {
      head: words.spend,
      right: true,
      cell: (line) =>
        line.used && (
          <Go href={href(line)} className="figure num">
            <Sum sums={line.used} />
          </Go>
        ),
    },
  ];
}

function ModelName({ line }: { line: Line }) {
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2">
      <span className="mono break-all">{line.id}</span>
      {line.rate?.default && <Pill>{words.default}</Pill>}
      {line.rate?.price?.pretend && <Pretend />}
      {!line.rate && <span className="text-small text-fg-3">{words.unlisted}</span>}
      {line.rate?.targets && (
        <span className="text-small text-fg-3">{words.route(line.rate.targets.join(", "))}</span>
      )}
    </span>
  );
}

function Price({ line, value, known }: { line: Line; value: number | undefined; known: boolean }) {
  if (line.rate?.targets) return null;
  if (!known) return <NoPrice />;
  return (
    <span className="num">
      {value === undefined ? costs.kpi.none : value === 0 ? words.free : itemMoney(value)}
    </span>
  );
}
