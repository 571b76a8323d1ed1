import { useQuery } from "@tanstack/react-query";
import { ChevronRight, ListChecks } from "lucide-react";
import { count } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { guard } from "@/lib/messages/guard";
import { Button } from "@/ui/button";
import { Input } from "@/ui/field";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { Go } from "../go";
import { type Pack, packsQuery, type RuleCount, ruleCountsQuery } from "./queries";
import { Severity, Verdict } from "./severity";

const words = guard.rules;

/** The packs with those rules that the words are about. */
export function packsWith(packs: readonly Pack[], text: string): Pack[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [...packs];
  return packs.flatMap((pack) => {
    if (`${pack.id} ${pack.about}`.toLowerCase().includes(wanted)) return [pack];
    const rules = pack.rules.filter((rule) =>
      `${rule.id} ${rule.effect} ${rule.example ?? ""}`.toLowerCase().includes(wanted),
    );
    return rules.length > 0 ? [{ ...pack, rules }] : [];
  });
}

export function Rules({ q, onSearch }: { q: string; onSearch: (q: string) => void }) {
  const packs = useQuery(packsQuery);
  const counts = useQuery(ruleCountsQuery);
  const hits = new Map<string, RuleCount>();
  for (const one of counts.data?.data ?? []) {
    const known = hits.get(one.rule);
    hits.set(
      one.rule,
      known ? { ...one, calls: known.calls + one.calls, wrong: known.wrong + one.wrong } : one,
    );
  }
  const found = packsWith(packs.data?.data ?? [], q);
  return (
    <>
      <Section title={words.decided} note={words.decidedNote} flush>
        <View
          query={counts}
          isEmpty={(page) => page.data.every((one) => !one.rule)}
          empty={<Empty title={words.noneDecided} body={words.noneDecidedBody} />}
        >
          {(page) => (
            <Table
              label={words.decided}
              rows={page.data.filter((one) => one.rule).slice(0, 12)}
              id={(one) => `${one.rule} ${one.verdict}`}
              columns={countColumns}
            />
          )}
        </View>
      </Section>
      <Section
        title={words.packs}
        note={packs.data && words.packCount(packs.data.data.length, ruleTotal(packs.data.data))}
        flush
        actions={
          <Input
            type="search"
            className="!w-[220px]"
            aria-label={words.find}
            placeholder={words.find}
            value={q}
            onChange={(event) => onSearch(event.target.value)}
          />
        }
      >
        <View
          query={packs}
          rows={8}
          isEmpty={() => found.length === 0}
          empty={
            <Empty icon={<ListChecks aria-hidden="true" />} title={words.none}>
              <Button onClick={() => onSearch("")}>{common.actions.clear}</Button>
            </Empty>
          }
        >
          {() =>
            found.map((pack) => <PackRow key={pack.id} pack={pack} hits={hits} open={q.trim() !== ""} />)
          }
        </View>
      </Section>
    </>
  );
}

const ruleTotal = (packs: readonly Pack[]) => packs.reduce((sum, pack) => sum + pack.rules.length, 0);

/** A sentence of a rule, without the names of what a command fills in. */
const blanks = (text: string) => text.replace(/(?<!@)\{\w+\}\.?/g, "…");

const auditOf = (rule: string) => `/safety/audit?${new URLSearchParams({ rule })}`;

const countColumns: Column<RuleCount>[] = [
  {
    head: words.rule,
    cell: (one) => (
      <Go href={auditOf(one.rule)} className="mono link break-all">
        {one.rule}
      </Go>
    ),
  },
  { head: words.verdict, cell: (one) => <Verdict of={one.verdict} /> },
  { head: words.calls, right: true, cell: (one) => <span className="num">{count(one.calls)}</span> },
  {
    head: words.wrong,
    right: true,
    cell: (one) => (
      <span className="num text-fg-3">
        {one.wrong > 0 ? words.share(one.wrong, (one.wrong * 100) / one.calls) : count(0)}
      </span>
    ),
  },
];

function PackRow({ pack, hits, open }: { pack: Pack; hits: Map<string, RuleCount>; open: boolean }) {
  const calls = pack.rules.reduce((sum, rule) => sum + (hits.get(rule.id)?.calls ?? 0), 0);
  return (
    <details className="pack" {...(open ? { open: true } : {})}>
      <summary>
        <ChevronRight aria-hidden="true" />
        <span className="mono font-medium">{pack.id}</span>
        <span className="trunc min-w-0 flex-1 text-small text-fg-3 max-sm:hidden">{pack.about}</span>
        <span className="flex-1 sm:hidden" />
        <span className="num text-small text-fg-3">
          {calls > 0 ? words.packHits(pack.rules.length, calls) : words.ruleCount(pack.rules.length)}
        </span>
      </summary>
      <ul>
        {pack.rules.map((rule) => (
          <li key={rule.id}>
            <span className="min-w-0">
              <Go href={auditOf(rule.id)} className="mono link break-all">
                {rule.id}
              </Go>
            </span>
            <Severity of={rule.severity} />
            <p className="col-span-2 text-small text-fg-2">
              {blanks(rule.effect)} {rule.alternative && guard.card.safer(blanks(rule.alternative))}
            </p>
            {rule.example && (
              <p className="col-span-2 flex min-w-0 flex-wrap items-baseline gap-2 text-small">
                <code className="mono min-w-0 break-all text-fg-3">{rule.example}</code>
                <Go href={`/safety/test?${new URLSearchParams({ command: rule.example })}`} className="link">
                  {words.tryIt}
                </Go>
              </p>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
