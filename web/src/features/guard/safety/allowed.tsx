import { useInfiniteQuery } from "@tanstack/react-query";
import { ListX, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { common } from "@/lib/messages/common";
import { guard } from "@/lib/messages/guard";
import { Time } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Section } from "@/ui/page";
import { useRemoval } from "@/ui/removal";
import { Empty, View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { useAround, useNames } from "../around";
import { AllowForm } from "./allow-form";
import { type Allowance, allowedQuery, useDisallow } from "./queries";

const words = guard.allowed;

/** Calls that need not be asked about, each with its end. */
export function Allowed() {
  const { mayChange } = useAround();
  const names = useNames();
  const query = useInfiniteQuery(allowedQuery);
  const disallow = useDisallow();
  const [adding, setAdding] = useState(false);
  const [ask, dialog] = useRemoval<Allowance>({
    title: () => words.removeTitle,
    body: words.removeBody,
    action: words.remove,
    done: words.removed,
    remove: (one) => disallow.mutateAsync(one.id),
  });
  const add = mayChange && (
    <Button look="solid" onClick={() => setAdding(true)}>
      <Plus aria-hidden="true" />
      {words.add}
    </Button>
  );
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const columns: Column<Allowance>[] = [
    { head: words.what, cell: (one) => <What of={one} /> },
    {
      head: words.where,
      cell: (one) => <code className="mono break-all">{one.folder || words.anywhere}</code>,
    },
    { head: words.agent, cell: (one) => (one.agent ? names.agent(one.agent) : words.anyAgent) },
    { head: words.by, cell: (one) => names.user(one.created_by) },
    { head: words.ends, cell: (one) => <Ends of={one} /> },
    ...(mayChange
      ? [
          {
            head: words.remove,
            hideHead: true,
            right: true,
            cell: (one: Allowance) => (
              <IconButton label={words.removeOne(one.shown || one.tool)} onClick={() => ask(one)}>
                <Trash2 aria-hidden="true" />
              </IconButton>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <Section title={words.title} note={words.note} flush actions={rows.length > 0 && add}>
        <View
          query={query}
          isEmpty={() => rows.length === 0}
          empty={
            <Empty icon={<ListX aria-hidden="true" />} title={words.empty} body={words.emptyBody}>
              {add}
            </Empty>
          }
        >
          {() => <Table label={words.title} rows={rows} id={(one) => one.id} columns={columns} />}
        </View>
        {query.hasNextPage && (
          <div className="border-t border-line p-2 text-center">
            <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {common.actions.loadMore}
            </Button>
          </div>
        )}
      </Section>
      {adding && <AllowForm onClose={() => setAdding(false)} />}
      {dialog}
    </>
  );
}

function What({ of }: { of: Allowance }) {
  return (
    <span className="flex min-w-0 flex-col">
      <code className="mono break-all">{of.covers === "tool" ? words.wholeTool(of.tool) : of.shown}</code>
      {of.note && <span className="text-small text-fg-3">{of.note}</span>}
    </span>
  );
}

/** An entry of a run ends with it, all others at a time. */
function Ends({ of }: { of: Allowance }) {
  if (of.scope === "run") return words.withRun;
  return <Time at={of.expires_at} />;
}
