import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Download, ScrollText, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { bytes } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { guard } from "@/lib/messages/guard";
import { duration, exactTime } from "@/lib/time";
import { Pill, Time, type Tone } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { Input, Select } from "@/ui/field";
import { Menu, MenuItem } from "@/ui/menu";
import { Empty, View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { useAround, useNames } from "../around";
import { Go } from "../go";
import { Arguments } from "../marked";
import { type CallFilter, callQuery, callsQuery, exportUrl, type GuardCall, useFeedback } from "./queries";
import { Verdict } from "./severity";

const words = guard.audit;

/** Every call of a tool with what was decided about it. */
export function Audit({
  filter,
  open,
  onFilter,
  onOpen,
}: {
  filter: CallFilter;
  open: string;
  onFilter: (filter: CallFilter) => void;
  onOpen: (call: string) => void;
}) {
  const query = useInfiniteQuery(callsQuery(wire(filter)));
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const narrowed = Object.keys(filter).length > 0;
  return (
    <div className="relative flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <Filters filter={filter} onFilter={onFilter} />
        <div className="min-h-0 flex-1 overflow-y-auto">
          <View
            query={query}
            rows={10}
            isEmpty={() => rows.length === 0}
            empty={
              <Empty
                icon={<ScrollText aria-hidden="true" />}
                title={narrowed ? words.none : words.empty}
                body={narrowed ? words.noneBody : words.emptyBody}
              >
                {narrowed && <Button onClick={() => onFilter({})}>{common.actions.clear}</Button>}
              </Empty>
            }
          >
            {() => <Calls rows={rows} onOpen={onOpen} />}
          </View>
          {query.hasNextPage && (
            <div className="p-3 text-center">
              <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {common.actions.loadMore}
              </Button>
            </div>
          )}
        </div>
      </div>
      {open && <CallDrawer id={open} onClose={() => onOpen("")} />}
    </div>
  );
}

/** Days of this device as moments; the last day is included. */
function wire({ since, until, ...rest }: CallFilter): CallFilter {
  const next = until ? new Date(`${until}T00:00:00`) : undefined;
  next?.setDate(next.getDate() + 1);
  return {
    ...rest,
    ...(since ? { since: new Date(`${since}T00:00:00`).toISOString() } : {}),
    ...(next ? { until: next.toISOString() } : {}),
  };
}

/** Saves what the filter finds as a file. */
export function ExportMenu({ filter }: { filter: CallFilter }) {
  const save = (format: "csv" | "jsonl") => {
    const link = document.createElement("a");
    link.href = exportUrl(wire(filter), format);
    link.download = "";
    link.click();
  };
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="btn" aria-label={words.export}>
          <Download aria-hidden="true" />
          <span className="max-sm:hidden">{words.export}</span>
        </button>
      }
    >
      <MenuItem onSelect={() => save("csv")}>{words.exportCsv}</MenuItem>
      <MenuItem onSelect={() => save("jsonl")}>{words.exportJsonl}</MenuItem>
    </Menu>
  );
}

const outcomeTones: Record<string, Tone> = {
  ok: "ok",
  error: "bad",
  refused: "bad",
  waiting: "warn",
  started: "run",
};

function Calls({ rows, onOpen }: { rows: readonly GuardCall[]; onOpen: (call: string) => void }) {
  const names = useNames();
  const columns: Column<GuardCall>[] = [
    { head: words.when, cell: (one) => <Time at={one.at} /> },
    {
      head: words.call,
      cell: (one) => (
        <button
          type="button"
          className="flex min-w-0 max-w-[420px] flex-col text-left max-sm:text-right"
          onClick={() => onOpen(one.id)}
        >
          <code className="mono">{one.tool}</code>
          <code className="mono trunc max-w-full text-small text-fg-3 max-sm:whitespace-normal max-sm:break-all">
            {summary(one.args)}
          </code>
        </button>
      ),
    },
    { head: words.agent, cell: (one) => (one.agent ? names.agent(one.agent) : names.user(one.user)) },
    { head: words.verdict, cell: (one) => <Verdict of={one.verdict} /> },
    { head: words.rule, cell: (one) => one.rule && <code className="mono break-all">{one.rule}</code> },
    {
      head: words.outcome,
      cell: (one) => (
        <Pill tone={outcomeTones[one.outcome] ?? "line"}>{words.outcomes[one.outcome] ?? one.outcome}</Pill>
      ),
    },
    {
      head: words.took,
      right: true,
      cell: (one) => one.took_us > 0 && <span className="num">{duration(one.took_us / 1000)}</span>,
    },
  ];
  return (
    <Table
      label={words.title}
      rows={rows}
      id={(one) => one.id}
      columns={columns}
      onOpen={(one) => onOpen(one.id)}
    />
  );
}

const telling = ["command", "path", "url", "query", "name"];

/** The argument that says most, in one line. */
export function summary(args: string): string {
  try {
    const value = JSON.parse(args) as Record<string, unknown>;
    const named = telling.map((key) => value[key]);
    const first = [...named, ...Object.values(value)].find((one) => typeof one === "string" && one !== "");
    return typeof first === "string" ? first.replace(/\s+/g, " ") : args;
  } catch {
    return args;
  }
}

function Filters({ filter, onFilter }: { filter: CallFilter; onFilter: (filter: CallFilter) => void }) {
  const { agents, users } = useAround();
  const [wide] = useState(() => matchMedia("(min-width: 640px)").matches);
  const set = (key: keyof CallFilter, value: string) => {
    const { [key]: _, ...rest } = filter;
    onFilter(value ? { ...rest, [key]: value } : rest);
  };
  const choice = (key: keyof CallFilter, any: string, options: Record<string, string>) => (
    <Select
      key={key}
      aria-label={words.filterBy[key] ?? key}
      value={filter[key] ?? ""}
      onChange={(event) => set(key, event.target.value)}
      options={[
        { value: "", label: any },
        ...Object.entries(options).map(([value, label]) => ({ value, label })),
      ]}
    />
  );
  const extra = (["run", "conversation", "door"] as const).filter((key) => filter[key]);
  return (
    <div className="relative flex-none border-b border-line px-4 py-2">
      <div className="absolute top-2 right-4 flex items-center gap-2">
        {extra.map((key) => (
          <button
            key={key}
            type="button"
            className="chip"
            aria-label={words.without(words.filterBy[key] ?? key)}
            onClick={() => set(key, "")}
          >
            {words.filterBy[key]} <span className="mono trunc max-w-[120px]">{filter[key]}</span>
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
        <summary className="flex min-h-[28px] items-center text-small font-medium max-sm:min-h-[44px]">
          {words.filters}
        </summary>
        <div className="grid grid-cols-[repeat(auto-fill,minmax(132px,1fr))] gap-2 pt-2 pb-1">
          {choice("verdict", words.any.verdict, {
            allow: guard.verdicts.allow ?? "",
            ask: guard.verdicts.ask ?? "",
            refuse: guard.verdicts.refuse ?? "",
          })}
          {choice("outcome", words.any.outcome, words.outcomes)}
          {choice("agent", words.any.agent, agents)}
          {choice("user", words.any.user, users)}
          {choice("feedback", words.any.feedback, words.feedbacks)}
          {(["tool", "rule"] as const).map((key) => (
            <Typed
              key={key}
              label={words.filterBy[key] ?? key}
              value={filter[key] ?? ""}
              onChange={(value) => set(key, value)}
            />
          ))}
          {(["since", "until"] as const).map((key) => (
            <Input
              key={key}
              type="date"
              aria-label={words.filterBy[key] ?? key}
              value={(filter[key] ?? "").slice(0, 10)}
              onChange={(event) => set(key, event.target.value)}
            />
          ))}
        </div>
      </details>
    </div>
  );
}

/** A filter that is written; it counts once it is left or confirmed. */
function Typed({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Input
      key={value}
      className="mono"
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      onBlur={(event) => event.target.value !== value && onChange(event.target.value.trim())}
      onKeyDown={(event) => event.key === "Enter" && onChange(event.currentTarget.value.trim())}
    />
  );
}

function CallDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(callQuery(id));
  return (
    <aside
      className="drawer anim-drawer"
      aria-label={words.detail}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <header className="flex h-[46px] flex-none items-center gap-2 border-b border-line pl-4 pr-2">
        <h2 className="flex-1 text-base font-semibold">{words.detail}</h2>
        <IconButton label={common.actions.close} onClick={onClose}>
          <X aria-hidden="true" />
        </IconButton>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <View query={query}>{(row) => <Detail row={row} />}</View>
      </div>
    </aside>
  );
}

function Detail({ row }: { row: GuardCall }) {
  const names = useNames();
  const facts = words.facts;
  const rows: [string, ReactNode][] = [
    [facts.reason, row.reason],
    [facts.rule, row.rule && <code className="mono">{row.rule}</code>],
    [facts.agent, row.agent && names.agent(row.agent)],
    [facts.user, names.user(row.user)],
    [facts.approvedBy, names.user(row.approved_by)],
    [facts.door, row.door],
    [facts.origin, row.origin],
    [facts.level, words.levels[row.level] ?? row.level],
    [facts.folder, row.folder && <code className="mono">{row.folder}</code>],
    [facts.code, row.code && <code className="mono text-bad">{row.code}</code>],
    [facts.took, row.took_us > 0 && duration(row.took_us / 1000)],
    [facts.size, row.result_size > 0 && bytes(row.result_size)],
    [
      facts.id,
      <span key="id" className="mono flex min-w-0 items-center gap-1">
        <span className="trunc">{row.id}</span>
        <CopyButton text={row.id} label={words.copyId} />
      </span>,
    ],
  ];
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <code className="mono text-title font-semibold">{row.tool}</code>
        <Verdict of={row.verdict} />
        <Pill tone={outcomeTones[row.outcome] ?? "line"}>{words.outcomes[row.outcome] ?? row.outcome}</Pill>
        <span className="num text-small text-fg-3">{exactTime(row.at)}</span>
      </div>
      <Arguments text={row.args} />
      <dl className="facts">
        {rows.map(
          ([label, value]) =>
            value && (
              <div key={label} className="contents">
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <Judgement row={row} />
      <div className="flex flex-wrap gap-2">
        {row.conversation && (
          <Go href={`/chat/${row.conversation}`} className="btn">
            {guard.card.openChat}
          </Go>
        )}
        {row.run && (
          <Go href={`/safety/audit?${new URLSearchParams({ run: row.run })}`} className="btn">
            {words.sameRun}
          </Go>
        )}
        {row.run && (
          <Go href={`/safety/snapshots?${new URLSearchParams({ run: row.run })}`} className="btn">
            {words.changes}
          </Go>
        )}
      </div>
    </div>
  );
}

/** Was the ruling right? Counts for the rule. */
function Judgement({ row }: { row: GuardCall }) {
  const { mayAnswer } = useAround();
  const feedback = useFeedback();
  if (!mayAnswer) return row.feedback ? <p className="text-small">{words.feedbacks[row.feedback]}</p> : null;
  return (
    <fieldset className="well flex flex-wrap items-center gap-2 p-3" aria-label={words.judge}>
      <span className="flex-1">{words.judge}</span>
      {(["right", "wrong"] as const).map((one) => (
        <Button
          key={one}
          aria-pressed={row.feedback === one}
          look={row.feedback === one ? "solid" : "plain"}
          busy={feedback.isPending}
          onClick={() =>
            feedback.mutate(
              { id: row.id, feedback: one },
              { onError: (error) => toast.failed(error, common.errors.title) },
            )
          }
        >
          {words.feedbacks[one]}
        </Button>
      ))}
    </fieldset>
  );
}
