import { useInfiniteQuery } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import type { ReactNode } from "react";
import type { Agent, Run } from "@/api/types";
import { common } from "@/lib/messages/common";
import { traces as words } from "@/lib/messages/traces";
import { itemMoney, short } from "@/lib/money";
import { duration } from "@/lib/time";
import { StatePill, Time } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Input, Select } from "@/ui/field";
import { Empty, View } from "@/ui/states";
import { type TraceFilter, type TraceState, tracesQuery } from "./queries";
import { percentile } from "./spans";
import "./traces.css";

const states: readonly TraceState[] = ["running", "waiting", "failed", "finished", "cancelled", "queued"];

/** Every request, newest first. */
export function TraceList({
  filter,
  onFilter,
  agents,
  link,
  begin,
}: {
  filter: TraceFilter;
  onFilter: (filter: TraceFilter) => void;
  agents: readonly Agent[];
  link: (run: Run, children: ReactNode) => ReactNode;
  /** What to do when there is nothing yet. */
  begin: ReactNode;
}) {
  const query = useInfiniteQuery(tracesQuery(filter));
  const filtered = Object.keys(filter).length > 0;
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
          const runs = data.pages.flatMap((page) => page.data);
          return (
            <>
              <Percentiles runs={runs} />
              <div className="tr-list tr-head" aria-hidden="true">
                <span>{words.state}</span>
                <span>{words.name}</span>
                <span className="opt-col">{words.agent}</span>
                <span className="r opt-col">{words.when}</span>
                <span className="r">{words.duration}</span>
                <span className="r opt-col">{words.tokens}</span>
                <span className="r opt-col">{words.cost}</span>
              </div>
              <ul className="min-h-0 flex-1 overflow-y-auto" aria-label={words.title}>
                {runs.map((run) => (
                  <li key={run.id}>{link(run, <Row run={run} />)}</li>
                ))}
                {query.hasNextPage && (
                  <li className="flex justify-center p-3">
                    <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                      {common.actions.loadMore}
                    </Button>
                  </li>
                )}
              </ul>
            </>
          );
        }}
      </View>
    </div>
  );
}

export function tookOf(run: Run): number | undefined {
  if (!run.finished_at) return undefined;
  return Date.parse(run.finished_at) - Date.parse(run.started_at ?? run.created_at);
}

function Row({ run }: { run: Run }) {
  const took = tookOf(run);
  return (
    <span className="tr-list tr-row">
      <span>
        <StatePill state={run.state} />
      </span>
      <span className="trunc">{run.title}</span>
      <span className="trunc opt-col text-fg-2">{run.agent}</span>
      <span className="r opt-col text-small text-fg-3">
        <Time at={run.created_at} />
      </span>
      <span className="num r">{took === undefined ? "–" : duration(took)}</span>
      <span className="num r opt-col text-fg-2">
        {run.usage ? short((run.usage.input ?? 0) + (run.usage.output ?? 0)) : "–"}
      </span>
      <span className="num r opt-col text-fg-2">{itemMoney(run.spent_micros)}</span>
    </span>
  );
}

function Percentiles({ runs }: { runs: readonly Run[] }) {
  const took = runs
    .map(tookOf)
    .filter((one) => one !== undefined)
    .sort((a, b) => a - b);
  if (took.length < 3) return null;
  return (
    <dl
      className="flex flex-wrap gap-x-6 gap-y-1 px-4 pb-2 text-small text-fg-3"
      aria-label={words.percentiles}
    >
      {[50, 95, 99].map((p) => (
        <div key={p} className="flex gap-2">
          <dt>P{p}</dt>
          <dd className="num text-fg">{duration(percentile(took, p) ?? 0)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Filters({
  filter,
  onFilter,
  agents,
}: {
  filter: TraceFilter;
  onFilter: (filter: TraceFilter) => void;
  agents: readonly Agent[];
}) {
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
        className="w-auto"
        aria-label={words.state}
        value={filter.state ?? ""}
        options={[
          { value: "", label: words.anyState },
          ...states.map((state) => ({ value: state, label: words.states[state] })),
        ]}
        onChange={(event) => change("state", event.target.value)}
      />
      <Select
        className="w-auto"
        aria-label={words.agent}
        value={filter.agent ?? ""}
        options={[
          { value: "", label: words.anyAgent },
          ...agents.map((agent) => ({ value: agent.name, label: agent.title })),
        ]}
        onChange={(event) => change("agent", event.target.value)}
      />
    </search>
  );
}
