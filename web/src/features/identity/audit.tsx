import { useInfiniteQuery } from "@tanstack/react-query";
import { Download, ShieldCheck } from "lucide-react";
import { useState } from "react";
import type { AuditEntry } from "@/api/types";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { exactTime } from "@/lib/time";
import { Pill, Time, type Tone } from "@/ui/bits";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { Dialog } from "@/ui/dialog";
import { Input, Select } from "@/ui/field";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { type AuditFilter, type AuditResult, auditExportUrl, auditQuery, useVerifyAudit } from "./queries";

const words = settings.audit;

/** The audit log; filters live in the address so that a view can be shared. */
export function Audit({
  filter,
  onFilter,
}: {
  filter: AuditFilter;
  onFilter: (filter: AuditFilter) => void;
}) {
  const query = useInfiniteQuery(auditQuery(filter));
  const [open, setOpen] = useState<AuditEntry>();
  const filtered = Object.values(filter).some(Boolean);
  return (
    <Section title={settings.pages.audit} flush actions={<Tools filter={filter} />}>
      <Filters filter={filter} onFilter={onFilter} />
      <View
        query={query}
        rows={8}
        isEmpty={(data) => data.pages.every((page) => page.data.length === 0)}
        empty={
          <Empty
            title={filtered ? words.none : words.empty}
            body={filtered ? words.noneBody : words.emptyBody}
          >
            {filtered && <Button onClick={() => onFilter({})}>{common.actions.clear}</Button>}
          </Empty>
        }
      >
        {(data) => (
          <>
            <Table
              label={settings.pages.audit}
              rows={data.pages.flatMap((page) => page.data)}
              id={(entry) => entry.id}
              onOpen={setOpen}
              columns={[
                { head: words.when, cell: (entry) => <Time at={entry.at} className="text-fg-3" /> },
                { head: words.actor, cell: (entry) => entry.actor_name || entry.actor },
                { head: words.action, cell: (entry) => <span className="mono">{entry.action}</span> },
                {
                  head: words.resource,
                  cell: (entry) => <span className="mono text-fg-2">{entry.resource}</span>,
                },
                { head: words.ip, cell: (entry) => <span className="mono text-fg-3">{entry.ip}</span> },
                { head: words.result, cell: (entry) => <Result result={entry.result} /> },
              ]}
            />
            {query.hasNextPage && (
              <div className="flex justify-center border-t border-line p-3">
                <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {common.actions.loadMore}
                </Button>
              </div>
            )}
          </>
        )}
      </View>
      {open && <Entry entry={open} onClose={() => setOpen(undefined)} />}
    </Section>
  );
}

const tones: Record<string, Tone> = { ok: "ok", refused: "warn", failed: "bad" };

function Result({ result }: { result: string }) {
  return <Pill tone={tones[result] ?? "line"}>{words.results[result] ?? result}</Pill>;
}

function Tools({ filter }: { filter: AuditFilter }) {
  const verify = useVerifyAudit();
  const run = () =>
    verify.mutate(undefined, {
      onSuccess: (answer) =>
        answer.ok
          ? toast.done(words.verified(answer.rows))
          : toast.failed(answer.reason ?? "", words.broken(answer.broken ?? 0)),
      onError: (error) => toast.failed(error, common.errors.title),
    });
  return (
    <>
      <Button busy={verify.isPending} onClick={run}>
        <ShieldCheck aria-hidden="true" />
        {verify.isPending ? words.verifying : words.verify}
      </Button>
      <a className="btn" href={auditExportUrl(filter, "csv")} download>
        <Download aria-hidden="true" />
        {words.exportCsv}
      </a>
      <a className="btn" href={auditExportUrl(filter, "jsonl")} download>
        <Download aria-hidden="true" />
        {words.exportJsonl}
      </a>
    </>
  );
}

function Filters({ filter, onFilter }: { filter: AuditFilter; onFilter: (filter: AuditFilter) => void }) {
  const [draft, setDraft] = useState(filter);
  const fields = ["actor", "action", "resource"] as const;
  const set = (change: Partial<AuditFilter>) => setDraft({ ...draft, ...change });
  const now = (change: Partial<AuditFilter>) => {
    set(change);
    onFilter({ ...draft, ...change });
  };
  return (
    <form
      className="grid grid-cols-2 gap-2 border-b border-line p-3 lg:grid-cols-[1fr_1fr_1fr_130px_150px_150px_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        onFilter(draft);
      }}
    >
      {fields.map((field) => (
        <Input
          key={field}
          aria-label={words[field]}
          placeholder={words[field]}
          value={draft[field] ?? ""}
          onChange={(event) => set({ [field]: event.target.value })}
          onBlur={() => onFilter(draft)}
        />
      ))}
      <Select
        aria-label={words.result}
        value={draft.result ?? ""}
        onChange={(event) => now({ result: (event.target.value || undefined) as AuditResult | undefined })}
        options={[
          { value: "", label: words.anyResult },
          ...Object.entries(words.results).map(([value, label]) => ({ value, label })),
        ]}
      />
      <Input
        type="date"
        aria-label={words.since}
        value={draft.since ?? ""}
        onChange={(event) => now({ since: event.target.value })}
      />
      <Input
        type="date"
        aria-label={words.until}
        value={draft.until ?? ""}
        onChange={(event) => now({ until: event.target.value })}
      />
      <Button type="submit">{words.filter}</Button>
    </form>
  );
}

function Entry({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const facts: [string, string | undefined][] = [
    [words.when, exactTime(entry.at)],
    [words.actor, entry.actor_name ? `${entry.actor_name} (${entry.actor})` : entry.actor],
    [words.resource, entry.resource],
    [words.result, words.results[entry.result] ?? entry.result],
    [words.ip, entry.ip],
  ];
  return (
    <Dialog open wide onClose={onClose} title={entry.action}>
      <dl className="grid grid-cols-[110px_1fr] gap-x-3 gap-y-1.5">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-fg-3">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
        {entry.request_id && (
          <>
            <dt className="text-fg-3">{words.requestId}</dt>
            <dd className="mono flex items-center gap-1">
              {entry.request_id}
              <CopyButton text={entry.request_id} label={common.errors.copyId} />
            </dd>
          </>
        )}
      </dl>
      {entry.before !== undefined && entry.before !== null && (
        <Json title={words.before} value={entry.before} />
      )}
      {entry.after !== undefined && entry.after !== null && <Json title={words.after} value={entry.after} />}
    </Dialog>
  );
}

function Json({ title, value }: { title: string; value: unknown }) {
  return (
    <section>
      <h3 className="mb-1 text-small text-fg-3">{title}</h3>
      <pre className="well mono max-h-[220px] overflow-auto p-3">{JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}
