import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Activity, Columns2, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { isAside } from "@/api/aside";
import type { Agent, Run } from "@/api/types";
import { common } from "@/lib/messages/common";
import { traces as words } from "@/lib/messages/traces";
import { itemMoney, short } from "@/lib/money";
import { duration } from "@/lib/time";
import { useEvents } from "@/live/react";
import { StatePill, Time } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Input, Select } from "@/ui/field";
import { Empty, View } from "@/ui/states";
import { applyTraceEvent, type TraceFilter, type TraceState, tracesQuery } from "./queries";
import { firstOf, readTook, tookOf } from "./spread";
import { Strip } from "./strip";
import "./traces.css";

const states: readonly TraceState[] = ["running", "waiting", "failed", "finished", "cancelled", "queued"];
// Those that work beside their chat speak on a channel of their own.
const channels = ["conversations/*", "runs/*"] as const;

type Props = {
  filter: TraceFilter;
  onFilter: (filter: TraceFilter) => void;
  agents: readonly Agent[];
  hue: (agent: string) => string;
  link: (run: Run, children: ReactNode) => ReactNode;
  onCompare: (left: string, right: string) => void;
  /** What to do when there is nothing yet. */
  begin: ReactNode;
};

/** Every request, newest first, as it happens. Two of them can be laid beside each other. */
export function TraceList({ filter, onFilter, agents, hue, link, onCompare, begin }: Props) {
  const cache = useQueryClient();
  const query = useInfiniteQuery(tracesQuery(filter));
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useEvents(channels, (event) => applyTraceEvent(cache, event));
  const filtered = Object.keys(filter).length > 0;
  const choose = (run: string) =>
    setChosen(chosen.includes(run) ? chosen.filter((one) => one !== run) : [...chosen.slice(-1), run]);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Filters filter={filter} onFilter={onFilter} agents={agents} />
      <View
        query={query}
        rows={10}
        isEmpty={(data) => data.pages.every((page) => page.data.length === 0)}
        empty={
          <Empty
            icon={<Activity />}
            title={filtered ? words.none : words.empty}
            body={filtered ? words.noneBody : words.emptyBody}
          >
            {filtered ? <Button onClick={() => onFilter({})}>{common.actions.clear}</Button> : begin}
          </Empty>
        }
      >
        {(data) => {
          const all = data.pages.flatMap((page) => page.data);
          const durations = all.map(tookOf).filter((one) => one !== undefined);
          const range = readTook(filter.took);
          const runs = range ? all.filter((run) => within(tookOf(run), range)) : all;
          const { took: _, ...rest } = filter;
          return (
            <>
              <Strip
                durations={durations}
                picked={filter.took}
                onPick={(took) => onFilter(took ? { ...rest, took } : rest)}
              />
              <Head />
              <ul
                className="min-h-0 flex-1 overflow-y-auto"
                aria-label={words.title}
                onKeyDown={(event) => rowKeys(event, choose)}
              >
                {runs.map((run) => (
                  <li key={run.id} data-run={run.id} className="tr-item">
                    <input
                      type="checkbox"
                      className="pick"
                      aria-label={words.choose(run.title)}
                      checked={chosen.includes(run.id)}
                      onChange={() => choose(run.id)}
                    />
                    {link(run, <Row run={run} hue={hue(run.agent)} longest={Math.max(...durations, 1)} />)}
                  </li>
                ))}
                {query.hasNextPage && (
                  <li className="flex justify-center p-3">
                    <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                      {common.actions.loadMore}
                    </Button>
                  </li>
                )}
              </ul>
              {chosen.length > 0 && (
                <Chosen runs={chosen} onClear={() => setChosen([])} onCompare={onCompare} />
              )}
            </>
          );
        }}
      </View>
    </div>
  );
}

const within = (ms: number | undefined, { from, to }: { from: number; to: number }) =>
  ms !== undefined && ms >= from && ms < to;

/** J, K and the arrows move between rows, X chooses the one in focus. */
function rowKeys(event: KeyboardEvent<HTMLUListElement>, choose: (run: string) => void) {
  if (event.metaKey || event.ctrlKey || event.altKey || !(event.target instanceof HTMLElement)) return;
  const row = event.target.closest<HTMLElement>("[data-run]");
  if (!row) return;
  const next = {
    j: row.nextElementSibling,
    ArrowDown: row.nextElementSibling,
    k: row.previousElementSibling,
    ArrowUp: row.previousElementSibling,
  }[event.key];
  if (next) next.querySelector<HTMLElement>("a")?.focus();
  else if (event.key === "x") choose(row.dataset.run ?? "");
  else return;
  event.preventDefault();
}

function Chosen({
  runs,
  onClear,
  onCompare,
}: {
  runs: readonly string[];
  onClear: () => void;
  onCompare: Props["onCompare"];
}) {
  const [left, right] = runs;
  return (
    <div className="bulk" role="status">
      <span className="flex-1">{right ? words.twoChosen : words.oneChosen}</span>
      <Button look="ghost" onClick={onClear}>
        <X aria-hidden="true" />
        {common.actions.clear}
      </Button>
      <Button look="solid" disabled={!right} onClick={() => left && right && onCompare(left, right)}>
        <Columns2 aria-hidden="true" />
        {words.compare}
      </Button>
    </div>
  );
}

function Head() {
  return (
    <div className="tr-item tr-head" aria-hidden="true">
      <span />
      <div className="tr-list">
        <span>{words.state}</span>
        <span>{words.name}</span>
        <span className="opt-col">{words.agent}</span>
        <span className="opt-col wide">{words.model}</span>
        <span className="r opt-col">{words.when}</span>
        <span className="r opt-col wide">{words.first}</span>
        <span className="r">{words.duration}</span>
        <span className="r opt-col">{words.tokens}</span>
        <span className="r opt-col">{words.cost}</span>
      </div>
    </div>
  );
}

function Row({ run, hue, longest }: { run: Run; hue: string; longest: number }) {
  const took = tookOf(run);
  const first = firstOf(run);
  return (
    <span className={`tr-list tr-row ${hue}`}>
      <span>
        <StatePill state={run.state} />
      </span>
      <span className="flex min-w-0 items-center gap-2">
        <span className="trunc">{run.title}</span>
        {isAside(run) && <span className="badge flex-none">{words.reasons[run.reason ?? ""]}</span>}
      </span>
      <span className="trunc opt-col text-fg-2">{run.agent}</span>
      <span className="mono trunc opt-col wide text-small text-fg-3">{run.model}</span>
      <span className="r opt-col text-small text-fg-3">
        <Time at={run.created_at} />
      </span>
      <span className="num r opt-col wide text-fg-2">{first === undefined ? "–" : duration(first)}</span>
      <span className="num r took">
        {took !== undefined && <i style={{ width: `${Math.max(3, (took / longest) * 100)}%` }} />}
        {took === undefined ? "–" : duration(took)}
      </span>
      <span className="num r opt-col text-fg-2">
        {run.usage ? short((run.usage.input ?? 0) + (run.usage.output ?? 0)) : "–"}
      </span>
      <span className="num r opt-col text-fg-2">{itemMoney(run.spent_micros)}</span>
    </span>
  );
}

function Filters({ filter, onFilter, agents }: Pick<Props, "filter" | "onFilter" | "agents">) {
  const change = (name: keyof TraceFilter, value: string) => {
    const { [name]: _, ...rest } = filter;
    onFilter(value ? { ...rest, [name]: value } : rest);
  };
  return (
    <search className="flex flex-wrap gap-2 px-4 py-3">
      <Input
        type="search"
        className="min-w-40 flex-1 sm:max-w-72"
        aria-label={words.search}
        placeholder={words.search}
        defaultValue={filter.search ?? ""}
        onChange={(event) => change("search", event.target.value)}
      />
      <Select
        className="!w-auto"
        aria-label={words.state}
        value={filter.state ?? ""}
        options={[
          { value: "", label: words.anyState },
          ...states.map((state) => ({ value: state, label: words.states[state] })),
        ]}
        onChange={(event) => change("state", event.target.value)}
      />
      <Select
        className="!w-auto"
        aria-label={words.agent}
        value={filter.agent ?? ""}
        options={[
          { value: "", label: words.anyAgent },
          ...agents.map((agent) => ({ value: agent.name, label: agent.title })),
        ]}
        onChange={(event) => change("agent", event.target.value)}
      />
      {filter.took && (
        <button type="button" className="chip" onClick={() => change("took", "")}>
          {words.tookChip(
            duration(readTook(filter.took)?.from ?? 0),
            duration(readTook(filter.took)?.to ?? 0),
          )}
          <X aria-hidden="true" />
          <span className="sr-only">{common.actions.clear}</span>
        </button>
      )}
    </search>
  );
}
