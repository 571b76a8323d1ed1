import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleDollarSign } from "lucide-react";
import { talk } from "@/lib/messages/talk";
import { itemMoney } from "@/lib/money";
import { Chip } from "@/ui/chip";
import { sumText, unitText } from "./amount";
import { budgetName, standingOf, Track, toneClass } from "./budget-bits";
import { type Budget, budgetsQuery, type Sums, todayQuery, totalsQuery } from "./queries";
import "./costs.css";

const words = talk.spend;

/** Who a chat is counted for. */
type Of = { user: string; agent: string | undefined };

/** The budgets that count what a chat spends, the one with the least left first. */
export function budgetsOf(budgets: readonly Budget[], { user, agent }: Of): Budget[] {
  const ids: Record<string, string | undefined> = { workspace: "", user, agent };
  return budgets
    .filter((one) => one.enabled && one.unit === "money" && ids[one.scope] === (one.scope_id ?? ""))
    .sort((a, b) => a.left - b.left);
}

/** What a chat has cost, in words. */
export function SpendLine({ conversation }: { conversation: string }) {
  const spent = useQuery(totalsQuery({ conversation })).data;
  return words.label(spent ? costOf(spent) : "–");
}

/**
 * What a chat has cost, beside what may still be spent; it opens to the day and the budgets. On a phone there is room for it
 * only when a budget is near its end.
 */
export function SpendChip({ conversation, user, agent }: Of & { conversation: string }) {
  const spent = useQuery(totalsQuery({ conversation })).data;
  const budgets = budgetsOf(useQuery(budgetsQuery).data?.data ?? [], { user, agent });
  const nearest = budgets[0];
  if (!spent || (spent.calls === 0 && !nearest)) return null;
  const amount = costOf(spent);
  const standing = nearest && standingOf(nearest);
  const tone = standing && standing.tone !== "ok" ? toneClass(standing) : "";
  const left = nearest && (nearest.left > 0 ? words.left(unitText("money", nearest.left)) : words.over);
  return (
    <Chip
      look={tone ? "num spend" : "num spend max-sm:hidden"}
      label={words.label(left ? `${amount} ${left}` : amount)}
      title={words.title}
      side="bottom"
      face={
        <>
          <CircleDollarSign aria-hidden="true" />
          <span className={tone || "text-fg"}>{amount}</span>{" "}
          {left && <span className={`word ${tone || "text-fg-3"}`}>{left}</span>}
        </>
      }
    >
      <Inside conversation={conversation} spent={spent} budgets={budgets} />
    </Chip>
  );
}

/** To three digits: a chat costs cents. */
const costOf = (sums: Sums) => {
  const text = sumText(sums);
  return text.startsWith("$") ? itemMoney(sums.price) : text;
};

function Inside({
  conversation,
  spent,
  budgets,
}: {
  conversation: string;
  spent: Sums;
  budgets: readonly Budget[];
}) {
  const today = useQuery(todayQuery()).data;
  return (
    <>
      <h3 className="text-title font-semibold">{words.title}</h3>
      <dl className="num grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
        <dt className="text-fg-2">{words.chat}</dt>
        <dd className="text-right">{costOf(spent)}</dd>
        {today && (
          <>
            <dt className="text-fg-2">{words.today}</dt>
            <dd className="text-right">{sumText(today)}</dd>
          </>
        )}
      </dl>
      {budgets.length > 0 && (
        <ul className="flex flex-col gap-2" aria-label={words.budgets}>
          {budgets.slice(0, 4).map((one) => (
            <li key={one.id} className="flex flex-col gap-1">
              <span className="num flex justify-between gap-4">
                <span className="trunc">{budgetName(one)}</span>
                <span className={toneClass(standingOf(one))}>
                  {words.of(unitText(one.unit, one.spent), unitText(one.unit, one.limit))}
                </span>
              </span>
              <Track budget={one} />
            </li>
          ))}
        </ul>
      )}
      <Link to="/costs/records" search={{ conversation }} className="link self-start">
        {words.records}
      </Link>
    </>
  );
}
