import { useQuery } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { guard } from "@/lib/messages/guard";
import { Time } from "@/ui/bits";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { ApprovalCard } from "../approval-card";
import { useNames } from "../around";
import { outcomeOf, whatOf } from "../outcome";
import { type Approval, pendingQuery } from "../queries";
import { exceptionsQuery, recentApprovalsQuery } from "./queries";

const words = guard.waiting;

/** What waits for an answer, what was refused and could be let through, and what was answered lately. */
export function Waiting() {
  const pending = useQuery(pendingQuery);
  return (
    <>
      <View
        query={pending}
        isEmpty={(page) => page.data.length === 0}
        empty={
          <div className="card">
            <Empty icon={<ShieldCheck aria-hidden="true" />} title={words.empty} body={words.emptyBody} />
          </div>
        }
      >
        {(page) => <Cards list={page.data} label={words.title} />}
      </View>
      <Exceptions />
      <Lately />
    </>
  );
}

function Cards({ list, label }: { list: readonly Approval[]; label: string }) {
  return (
    <ul className="flex flex-col gap-3" aria-label={label}>
      {list.map((approval) => (
        <li key={approval.id}>
          <ApprovalCard id={approval.id} />
        </li>
      ))}
    </ul>
  );
}

function Exceptions() {
  const { data } = useQuery(exceptionsQuery);
  if (!data || data.length === 0) return null;
  return (
    <Section title={words.exceptions} note={words.exceptionsNote}>
      <Cards list={data} label={words.exceptions} />
    </Section>
  );
}

function Lately() {
  const recent = useQuery(recentApprovalsQuery);
  const names = useNames();
  return (
    <Section title={words.lately} flush>
      <View
        query={recent}
        isEmpty={(list) => list.length === 0}
        empty={<Empty title={words.latelyEmpty} body={words.latelyEmptyBody} />}
      >
        {(list) => (
          <ul>
            {list.map((approval) => (
              <li
                key={approval.id}
                className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-line px-4 py-2 last:border-0"
              >
                <code className="mono trunc min-w-0 flex-1 basis-[240px]">{whatOf(approval)}</code>
                <span className="text-small text-fg-2">{outcomeOf(approval, names.user)}</span>
                <Time at={approval.asked_at} className="text-small text-fg-3" />
              </li>
            ))}
          </ul>
        )}
      </View>
    </Section>
  );
}
