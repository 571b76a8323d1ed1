import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { count } from "@/lib/format";
import { costs } from "@/lib/messages/costs";
import { duration, exactTime } from "@/lib/time";
import { Pill } from "@/ui/bits";
import { IconButton } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { View } from "@/ui/states";
import { Go, recordsHref, useName } from "./open";
import { type CostRecord, recordQuery } from "./queries";
import { OutcomePill, RecordPrice } from "./records";

const words = costs.records;

/** One attempt in full. */
export function RecordDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(recordQuery(id));
  return (
    <aside
      className="drawer anim-drawer"
      aria-label={words.detail}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <header className="flex h-[46px] flex-none items-center gap-2 border-b border-line pl-4 pr-2">
        <h2 className="flex-1 text-base font-semibold">{words.detail}</h2>
        <IconButton label={words.close} onClick={onClose}>
          <X aria-hidden="true" />
        </IconButton>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <View query={query}>{(record) => <Detail record={record} />}</View>
      </div>
    </aside>
  );
}

function Detail({ record }: { record: CostRecord }) {
  const tokens = Object.entries(record.tokens).filter(([, n]) => n > 0);
  return (
    <div className="flex flex-col gap-4">
      <div>
        <p className="num text-kpi font-medium tracking-tight">
          {record.price === null && record.unit === "money" && record.outcome !== "open" ? (
            <Go href="/costs/rates?missing=true">
              <RecordPrice record={record} />
            </Go>
          ) : (
            <RecordPrice record={record} />
          )}
        </p>
        <p className="mt-1 flex flex-wrap items-center gap-2 text-small text-fg-3">
          <OutcomePill outcome={record.outcome} />
          {record.estimated && <Pill tone="line">{words.estimated}</Pill>}
          <span className="num">{exactTime(record.at)}</span>
        </p>
      </div>
      <Facts record={record} />
      {tokens.length > 0 && (
        <dl className="well flex flex-col gap-1 p-3">
          {tokens.map(([kind, n]) => (
            <div key={kind} className="flex justify-between gap-3">
              <dt className="text-fg-3">{words.tokenKinds[kind] ?? kind}</dt>
              <dd className="num">{count(n)}</dd>
            </div>
          ))}
        </dl>
      )}
      <div className="flex flex-wrap gap-2">
        {record.conversation && (
          <Go href={`/chat/${record.conversation}`} className="btn">
            {words.toChat}
          </Go>
        )}
        {record.run && (
          <Go href={recordsHref({ run: record.run })} className="btn">
            {words.sameRun}
          </Go>
        )}
      </div>
    </div>
  );
}

function Facts({ record }: { record: CostRecord }) {
  const name = useName();
  const facts = words.facts;
  const link = (by: "agent" | "user" | "key" | "door" | "model" | "provider", id: string | undefined) =>
    id && (
      <Go href={recordsHref({ [by]: id })} className="figure">
        {name(by, id)}
      </Go>
    );
  const rows: [string, ReactNode][] = [
    [words.model, link("model", record.model)],
    [facts.provider, link("provider", record.provider)],
    [facts.asked, record.model_asked !== record.model && record.model_asked],
    [facts.served, record.served !== record.model && record.served],
    [facts.account, record.account],
    [words.agent, link("agent", record.agent)],
    [facts.user, link("user", record.user)],
    [facts.key, link("key", record.key)],
    [facts.door, link("door", record.door)],
    [facts.attempt, record.attempt > 1 && count(record.attempt)],
    [facts.latency, record.latency_us > 0 && duration(record.latency_us / 1000)],
    [facts.first, record.first_token_us > 0 && duration(record.first_token_us / 1000)],
    [facts.error, record.error_code && <span className="mono text-bad">{record.error_code}</span>],
    [
      facts.id,
      <span key="id" className="mono flex min-w-0 items-center gap-1">
        <span className="trunc">{record.id}</span>
        <CopyButton text={record.id} label={words.copyId} />
      </span>,
    ],
  ];
  return (
    <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-3 gap-y-1.5">
      {rows.map(
        ([label, value]) =>
          value && (
            <div key={label} className="contents">
              <dt className="text-fg-3">{label}</dt>
              <dd className="num min-w-0 break-words">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
