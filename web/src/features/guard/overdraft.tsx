import { guard } from "@/lib/messages/guard";
import { itemMoney } from "@/lib/money";
import { Time } from "@/ui/bits";
import { Go } from "./go";
import type { Approval } from "./queries";

const words = guard.card.overdraft;

/** The budget that a run has used up, and what it wants beyond it. */
type Standing = {
  name: string;
  unit: string;
  limit: number;
  spent: number;
  needs: number;
  resets_at?: string;
};

/** What a question about money says: which budget, what is spent, and what comes next. */
export function Overdraft({ approval }: { approval: Approval }) {
  const at = standingOf(approval.args);
  if (!at) return <p>{approval.reason}</p>;
  const show = (n: number) => (at.unit === "premium" ? words.premium(n / 1000) : itemMoney(n));
  return (
    <dl>
      <dt>{words.budget}</dt>
      <dd>
        {at.name}{" "}
        <Go href="/costs/budgets" className="link">
          {words.open}
        </Go>
      </dd>
      <dt>{words.spent}</dt>
      <dd className="num">{words.of(show(at.spent), show(at.limit))}</dd>
      {at.needs > 1 && (
        <>
          <dt>{words.next}</dt>
          <dd className="num">{words.upTo(show(at.needs))}</dd>
        </>
      )}
      {at.resets_at && (
        <>
          <dt>{words.resets}</dt>
          <dd>
            <Time at={at.resets_at} />
          </dd>
        </>
      )}
    </dl>
  );
}

function standingOf(args: string): Standing | undefined {
  try {
    const at = JSON.parse(args) as Standing;
    return typeof at.spent === "number" && typeof at.limit === "number" ? at : undefined;
  } catch {
    return undefined;
  }
}
