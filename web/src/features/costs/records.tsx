import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Receipt, X } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import { common } from "@/lib/messages/common";
import { costs } from "@/lib/messages/costs";
import { short } from "@/lib/money";
import { duration } from "@/lib/time";
import { Pill, Time, type Tone } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Input, Select } from "@/ui/field";
import { Empty, View } from "@/ui/states";
import { NoPrice, Pretend, priceText, sumText } from "./amount";
import { useName } from "./open";
import { momentOf } from "./period";
import { type By, breakdownQuery, type CostRecord, type Filter, recordsQuery, totalsQuery } from "./queries";

const words = costs.records;

/** A filter of an address as the server wants it: dates become moments. */
export function wireFilter(filter: Filter): Filter {
  const { since, until, ...rest } = filter;
  const from = momentOf(since);
  const to = momentOf(until, true);
  return { ...rest, ...(from ? { since: from } : {}), ...(to ? { until: to } : {}) };
}

/** Every attempt to reach a model, as many as there are. */
export function Records({
  filter,
  onFilter,
  open,
  onOpen,
}: {
  filter: Filter;
  onFilter: (filter: Filter) => void;
  open: string | undefined;
  onOpen: (record: string) => void;
}) {
  const query = useInfiniteQuery(recordsQuery(wireFilter(filter)));
  const filtered = Object.keys(filter).length > 0;
  return (
    <div className="costs flex min-h-0 min-w-0 flex-1 flex-col">
      <Filters filter={filter} onFilter={onFilter} />
      <View
        query={query}
        rows={10}
        isEmpty={(data) => data.pages.every((page) => page.data.length === 0)}
        empty={
          <Empty
            icon={<Receipt />}
            title={filtered ? words.none : words.empty}
            body={filtered ? words.noneBody : words.emptyBody}
          >
            {filtered && <Button onClick={() => onFilter({})}>{common.actions.clear}</Button>}
          </Empty>
        }
      >
        {(data) => (
          <>
            <div className="rows-head" aria-hidden="true">
              <span>{words.when}</span>
              <span>{words.model}</span>
              <span>{words.agent}</span>
              <span className="r opt-col">{words.tokens}</span>
              <span className="r">{words.time}</span>
              <span className="opt-col">{words.outcome}</span>
              <span className="r">{words.price}</span>
            </div>
            <Rows
              records={data.pages.flatMap((page) => page.data)}
              open={open}
              onOpen={onOpen}
              onEnd={() => query.hasNextPage && !query.isFetchingNextPage && void query.fetchNextPage()}
            />
            {query.isFetchingNextPage && (
              <p role="status" className="flex-none border-t border-line px-4 py-1.5 text-small text-fg-3">
                {words.loading}
              </p>
            )}
          </>
        )}
      </View>
    </div>
  );
}

function Rows({
  records,
  open,
  onOpen,
  onEnd,
}: {
  records: readonly CostRecord[];
  open: string | undefined;
  onOpen: (record: string) => void;
  onEnd: () => void;
}) {
  const list = useRef<VListHandle>(null);
  const near = () => {
    const handle = list.current;
    if (handle && handle.scrollOffset + handle.viewportSize > handle.scrollSize - 600) onEnd();
  };
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-row]") : null;
    if (!step || !row || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const next = Number(row.dataset.row) + step;
    if (next < 0 || next >= records.length) return;
    list.current?.scrollToIndex(next, { align: "nearest" });
    const frame = event.currentTarget;
    requestAnimationFrame(() => frame.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus());
  };
  return (
    <VList
      ref={list}
      className="min-h-0 flex-1"
      onScroll={near}
      onKeyDown={move}
      tabIndex={-1}
      aria-label={words.title}
      role="group"
    >
      {records.map((record, i) => (
        <RecordRow key={record.id} record={record} index={i} pressed={record.id === open} onOpen={onOpen} />
      ))}
    </VList>
  );
}

const tones: Record<string, Tone> = {
  ok: "ok",
  open: "run",
  cancelled: "line",
  failed: "bad",
  broken: "warn",
};

export function OutcomePill({ outcome }: { outcome: string }) {
  return <Pill tone={tones[outcome] ?? "line"}>{words.outcomes[outcome] ?? outcome}</Pill>;
}

export function RecordRow({
  record,
  index,
  pressed,
  onOpen,
}: {
  record: CostRecord;
  index: number;
  pressed: boolean;
  onOpen: (record: string) => void;
}) {
  const name = useName();
  const { tokens } = record;
  const input = tokens.input + tokens.cache_read + tokens.cache_write + tokens.cache_write_long;
  return (
    <button
      type="button"
      className="rrow"
      data-row={index}
      aria-pressed={pressed}
      onClick={() => onOpen(record.id)}
    >
      <span className="c-when">
        <Time at={record.at} className="text-fg-3" />
      </span>
      <span className="c-model trunc mono">
        {record.provider}/{record.model}
      </span>
      <span className="c-agent trunc text-fg-2">
        {record.agent ? name("agent", record.agent) : record.door ? name("door", record.door) : ""}
      </span>
      <span className="num r opt-col text-fg-2">
        {short(input)} · {short(tokens.output + tokens.reasoning)}
      </span>
      <span className="c-time num r text-fg-3">
        {record.outcome === "open" ? "" : duration(record.latency_us / 1000)}
      </span>
      <span className="opt-col">
        <OutcomePill outcome={record.outcome} />
      </span>
      <span className="c-price num r">
        <RecordPrice record={record} />
      </span>
    </button>
  );
}

/** What a call cost; while it runs, nothing is known yet. */
export function RecordPrice({ record }: { record: CostRecord }) {
  if (record.outcome === "open") return <span className="text-fg-3">{costs.kpi.none}</span>;
  if (record.unit === "money" && record.price === null) return <NoPrice />;
  if (!record.pretend) return priceText(record);
  return (
    <span className="inline-flex items-center gap-1.5">
      <Pretend />
      {priceText(record)}
    </span>
  );
}

const choices = ["agent", "model", "provider", "user", "key", "door"] as const satisfies readonly By[];

function Filters({ filter, onFilter }: { filter: Filter; onFilter: (filter: Filter) => void }) {
  const { data: sums } = useQuery(totalsQuery(wireFilter(filter)));
  const set = (key: keyof Filter, value: string) => {
    const { [key]: _, ...rest } = filter;
    onFilter(value ? { ...rest, [key]: value } : rest);
  };
  const [wide] = useState(() => matchMedia("(min-width: 640px)").matches);
  const extra = (["run", "conversation", "project", "workflow"] as const).filter((key) => filter[key]);
  return (
    <div className="relative flex-none border-b border-line px-4 py-2">
      <div className="absolute top-2 right-4 flex items-center gap-2">
        {extra.map((key) => (
          <button
            key={key}
            type="button"
            className="chip"
            aria-label={words.without(`${words.more[key]} ${filter[key]}`)}
            onClick={() => set(key, "")}
          >
            {words.more[key]} <span className="mono trunc max-w-[120px]">{filter[key]}</span>
            <X aria-hidden="true" />
          </button>
        ))}
        {Object.keys(filter).length > 0 && (
          <Button look="ghost" onClick={() => onFilter({})}>
            {common.actions.clear}
          </Button>
        )}
      </div>
      <details open={wide}>
        <summary className="flex min-h-[28px] items-center gap-3 text-small">
          <span className="font-medium">{words.filters}</span>
          {sums && <span className="num text-fg-3">{words.sum(sums.calls, sumText(sums))}</span>}
        </summary>
        <div className="grid grid-cols-[repeat(auto-fill,minmax(116px,1fr))] gap-2 pt-2 pb-1">
          {choices.map((by) => (
            <Choice key={by} by={by} value={filter[by] ?? ""} onChange={(value) => set(by, value)} />
          ))}
          <Select
            aria-label={words.outcome}
            value={filter.outcome ?? ""}
            onChange={(event) => set("outcome", event.target.value)}
            options={[
              { value: "", label: words.any.outcome },
              ...Object.entries(words.outcomes).map(([value, label]) => ({ value, label })),
            ]}
          />
          {(["since", "until"] as const).map((key) => (
            <Input
              key={key}
              type="date"
              aria-label={words[key]}
              value={(filter[key] ?? "").slice(0, 10)}
              onChange={(event) => set(key, event.target.value)}
            />
          ))}
        </div>
      </details>
    </div>
  );
}

function Choice({ by, value, onChange }: { by: By; value: string; onChange: (value: string) => void }) {
  const name = useName();
  const { data } = useQuery(breakdownQuery(by, {}, 500));
  const ids = (data?.data ?? []).map((share) => share.name).filter(Boolean);
  const known = value && !ids.includes(value) ? [value, ...ids] : ids;
  return (
    <Select
      aria-label={costs.by[by].label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      options={[
        { value: "", label: words.any[by] },
        ...known.map((id) => ({ value: id, label: name(by, id) })),
      ]}
    />
  );
}
