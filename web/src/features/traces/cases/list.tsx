import { useQuery } from "@tanstack/react-query";
import { Check, Columns2, FlaskConical, Minus, Play, Trash2, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { count } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { traces } from "@/lib/messages/traces";
import { Dot, Pill, Time } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Select } from "@/ui/field";
import { useRemoval } from "@/ui/removal";
import { Empty, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { type Case, casesQuery, useForgetCase, useTryCases } from "./queries";

const words = traces.cases;

type Props = {
  models: readonly { id: string }[];
  mayTry: boolean;
  /** The original beside the last try. */
  compare: (one: Case, run: string, children: ReactNode) => ReactNode;
  begin: ReactNode;
};

/** The test cases of this person, each with how it last went; they are tried with any model. */
export function CaseList({ models, mayTry, compare, begin }: Props) {
  const query = useQuery(casesQuery);
  const [model, setModel] = useState("");
  const tries = useTryCases();
  const forget = useForgetCase();
  const [remove, removal] = useRemoval<Case>({
    title: (one) => words.removeTitle(one.name),
    body: words.removeBody,
    action: common.actions.delete,
    done: words.removed,
    remove: (one) => forget.mutateAsync(one.id),
  });
  const run = (cases: readonly string[]) =>
    tries.mutate({ cases, model }, { onError: (error) => toast.failed(error, common.errors.title) });
  return (
    <View
      query={query}
      isEmpty={(cases) => cases.length === 0}
      empty={
        <Empty icon={<FlaskConical />} title={words.empty} body={words.emptyBody}>
          {begin}
        </Empty>
      }
    >
      {(cases) => (
        <>
          {mayTry && (
            <div className="flex flex-wrap items-center gap-2">
              <p className="min-w-0 flex-1 text-fg-3 max-sm:basis-full" role="status">
                {summary(cases)}
              </p>
              <Select
                className="!w-auto max-w-full"
                aria-label={words.model}
                value={model}
                options={[
                  { value: "", label: words.ownModel },
                  ...models.map((one) => ({ value: one.id, label: one.id })),
                ]}
                onChange={(event) => setModel(event.target.value)}
              />
              <Button look="solid" busy={tries.isPending} onClick={() => run(cases.map((one) => one.id))}>
                <Play aria-hidden="true" />
                {words.runAll}
              </Button>
            </div>
          )}
          <ul className="flex flex-col gap-3" aria-label={words.title}>
            {cases.map((one) => (
              <li key={one.id} className="card flex min-w-0 flex-col gap-1 p-4">
                <div className="flex flex-wrap items-center gap-2">
                  <VerdictPill verdict={one.last?.verdict} />
                  <h2 className="trunc min-w-40 flex-1 font-semibold">{one.name}</h2>
                  {one.last && compare(one, one.last.run, <CompareLabel />)}
                  {mayTry && (
                    <>
                      <Button
                        disabled={one.last?.verdict === "running"}
                        aria-label={words.runOne(one.name)}
                        onClick={() => run([one.id])}
                      >
                        <Play aria-hidden="true" />
                        {words.run}
                      </Button>
                      <IconButton label={words.remove(one.name)} onClick={() => remove(one)}>
                        <Trash2 aria-hidden="true" />
                      </IconButton>
                    </>
                  )}
                </div>
                <About one={one} />
              </li>
            ))}
          </ul>
          {removal}
        </>
      )}
    </View>
  );
}

function CompareLabel() {
  return (
    <>
      <Columns2 aria-hidden="true" />
      {traces.compare}
    </>
  );
}

/** What is expected, and what came instead. */
function About({ one }: { one: Case }) {
  return (
    <>
      <p className="flex flex-wrap gap-x-3 text-small text-fg-3">
        <span>{one.agent}</span>
        <span className="mono">{one.last?.model ?? one.model}</span>
        {one.last && <Time at={one.last.created_at} />}
      </p>
      <p className="text-small text-fg-2">{words.expects(one.expects.calls.length, one.expects.contains)}</p>
      {one.last?.differences && (
        <ul className="mt-1 flex flex-col gap-1 text-small text-bad">
          {one.last.differences.map((difference) => (
            <li key={difference.text} className="break-words">
              {difference.text}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function summary(cases: readonly Case[]): string {
  const passed = cases.filter((one) => one.last?.verdict === "passed").length;
  const differ = cases.filter((one) => one.last?.verdict === "differs").length;
  return words.summary(count(cases.length), count(passed), count(differ));
}

function VerdictPill({ verdict }: { verdict: NonNullable<Case["last"]>["verdict"] | undefined }) {
  switch (verdict) {
    case "passed":
      return (
        <Pill tone="ok">
          <Check />
          {words.passed}
        </Pill>
      );
    case "differs":
      return (
        <Pill tone="bad">
          <X />
          {words.differs}
        </Pill>
      );
    case "running":
      return (
        <Pill tone="run">
          <Dot tone="run" live />
          {words.running}
        </Pill>
      );
    default:
      return (
        <Pill tone="line">
          <Minus />
          {words.never}
        </Pill>
      );
  }
}
