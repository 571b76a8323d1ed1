import { useQuery } from "@tanstack/react-query";
import { Info } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Message, Run } from "@/api/types";
import { count } from "@/lib/format";
import { talk } from "@/lib/messages/talk";
import { itemMoney } from "@/lib/money";
import { duration } from "@/lib/time";
import { IconButton } from "@/ui/button";
import { Popover } from "@/ui/popover";
import "../composer.css";
import "./notes.css";

const words = talk.facts;

/** What an answer took, as name and value; what is not known is left out. */
export function factsOf(message: Message, run: Run | undefined, why: string | undefined): [string, string][] {
  const usage = message.usage;
  const began = run && Date.parse(run.started_at ?? run.created_at);
  const since = (at: string | undefined) => (began && at ? duration(Date.parse(at) - began) : undefined);
  const cost = message.notes?.cost_micros;
  const facts: [string, string | undefined][] = [
    [words.agent, message.author],
    [words.why, why],
    [words.model, message.model],
    [words.input, usage && count(usage.input + (usage.cache_read ?? 0) + (usage.cache_write ?? 0))],
    [words.cached, usage?.cache_read ? count(usage.cache_read) : undefined],
    [words.output, usage && count(usage.output)],
    [words.cost, cost === undefined ? words.noPrice : itemMoney(cost)],
    [words.firstToken, since(run?.first_token_at)],
    [words.took, since(run?.finished_at)],
    [words.turns, run && count(run.turns)],
    [words.calls, run && count(run.calls)],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []));
}

/** Opens what an answer took: model, tokens, cost, time. */
export function FactsButton(props: { message: Message; load: LoadRun; more?: ReactNode }) {
  const [wanted, setWanted] = useState(false);
  const icon = <Info aria-hidden="true" />;
  if (!wanted)
    return (
      <IconButton label={words.label} aria-haspopup="dialog" onClick={() => setWanted(true)}>
        {icon}
      </IconButton>
    );
  return (
    <Popover
      opened
      label={words.title}
      side="bottom"
      align="start"
      trigger={<IconButton label={words.label}>{icon}</IconButton>}
    >
      <Facts {...props} />
    </Popover>
  );
}

/** Asks for the run of an answer and why its agent was picked. */
export type LoadRun = (run: string) => {
  queryKey: readonly unknown[];
  queryFn: () => Promise<{ run: Run; why: string | undefined }>;
};

function Facts({ message, load, more }: { message: Message; load: LoadRun; more?: ReactNode }) {
  const query = useQuery({ ...load(message.run ?? ""), enabled: !!message.run, staleTime: 60_000 });
  return (
    <>
      <h3 className="text-title font-semibold">{words.title}</h3>
      <dl className="msg-facts num">
        {factsOf(message, query.data?.run, query.data?.why).map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {more}
    </>
  );
}
