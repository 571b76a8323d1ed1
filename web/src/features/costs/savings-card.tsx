import { useQuery } from "@tanstack/react-query";
import { costs } from "@/lib/messages/costs";
import { money, roughMoney } from "@/lib/money";
import { Empty, View } from "@/ui/states";
import { Go, recordsHref } from "./open";
import { dateId, dayText } from "./period";
import { type Advice, adviceQuery } from "./queries";

const words = costs.savings;

/** What would have cost less, with the calls it was worked out from. */
export function SavingsCard() {
  const query = useQuery(adviceQuery);
  const total = query.data?.data.reduce((sum, one) => sum + one.saving, 0) ?? 0;
  return (
    <section className="card min-w-0 overflow-hidden" aria-label={words.title}>
      <header className="hd">
        <h2>{words.title}</h2>
        <span className="flex-1" />
        {total > 0 && <span className="num text-small text-ok">{words.total(roughMoney(total))}</span>}
      </header>
      <View
        query={query}
        isEmpty={(page) => page.data.length === 0}
        empty={<Empty title={words.empty} body={words.emptyBody} />}
      >
        {(page) => (
          <ul>
            {page.data.slice(0, 5).map((advice) => (
              <One
                key={`${advice.kind} ${advice.provider} ${advice.model} ${advice.agent}`}
                advice={advice}
              />
            ))}
          </ul>
        )}
      </View>
    </section>
  );
}

function One({ advice }: { advice: Advice }) {
  const { evidence } = advice;
  const since = new Date(evidence.since);
  const title = (words.kinds[advice.kind] ?? words.other)(advice.model, advice.use ?? "");
  const href = recordsHref({
    model: advice.model,
    provider: advice.provider,
    ...(advice.agent && advice.kind !== "off_peak" ? { agent: advice.agent } : {}),
    since: dateId(since),
  });
  return (
    <li className="rec">
      <div className="flex gap-2">
        <span className="min-w-0 flex-1 font-medium break-words">{title}</span>
        <span className="num text-small text-ok">{roughMoney(advice.saving)}</span>
      </div>
      <p className="text-small text-fg-2">{advice.says}</p>
      <Go href={href} className="link text-small">
        {words.evidence(evidence.calls, money(evidence.price), dayText(since))}
      </Go>
    </li>
  );
}
