import { useQueries, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowUpRight, ChevronRight, RotateCw } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { Run } from "@/api/types";
import { agentsQuery } from "@/features/agents/queries";
import { tookOf } from "@/features/traces/list";
import { stepsQuery, traceHelpersQuery, traceQuery, useReplay } from "@/features/traces/queries";
import { SpanPanel } from "@/features/traces/span-panel";
import { type Span, spansOf, type Tree } from "@/features/traces/spans";
import { Waterfall } from "@/features/traces/waterfall";
import { hueOf } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { traces as words } from "@/lib/messages/traces";
import { itemMoney, short } from "@/lib/money";
import { duration, exactTime } from "@/lib/time";
import { isFinal, StatePill } from "@/ui/bits";
import { Button } from "@/ui/button";
import { TopBar } from "@/ui/page";
import { Problem, Skeleton } from "@/ui/states";
import { toast } from "@/ui/toast";
import { useCan } from "../../session";

/** One request, step by step. */
export default function TraceRoute() {
  const { run } = useParams({ strict: false });
  return run ? <TracePage key={run} id={run} /> : null;
}

function TracePage({ id }: { id: string }) {
  const run = useQuery(traceQuery(id));
  const live = run.data !== undefined && !isFinal(run.data.state);
  const every = live ? 1000 : false;
  useQuery({ ...traceQuery(id), refetchInterval: every });
  const steps = useQuery({ ...stepsQuery(id), refetchInterval: every });
  const helpers = useQuery({ ...traceHelpersQuery(id), refetchInterval: every });
  const inner = useQueries({
    queries: (helpers.data?.data ?? []).map((one) => ({ ...stepsQuery(one.id), refetchInterval: every })),
  });
  const now = useNow(live);
  const spans = useMemo(() => {
    if (!run.data || !steps.data) return [];
    const tree: Tree = {
      run: run.data,
      steps: steps.data.data,
      helpers: (helpers.data?.data ?? []).map((one, i) => ({
        run: one,
        steps: inner[i]?.data?.data ?? [],
        helpers: [],
      })),
    };
    return spansOf(tree, now);
  }, [run.data, steps.data, helpers.data, inner, now]);
  if (run.error && !run.data) {
    return (
      <>
        <TopBar title={words.title} before={<Back />} />
        <Problem error={run.error} retry={() => void run.refetch()} />
      </>
    );
  }
  return (
    <>
      <TopBar
        title={run.data?.title ?? ""}
        before={<Back />}
        after={run.data && <StatePill state={run.data.state} />}
      >
        {run.data && <Actions run={run.data} />}
      </TopBar>
      {run.data && steps.data ? (
        <Trace run={run.data} spans={spans} />
      ) : (
        <Skeleton rows={8} height={20} className="flex flex-col gap-3 p-5" />
      )}
    </>
  );
}

/** A clock for what is still running. */
function useNow(live: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [live]);
  return now;
}

function Back() {
  return (
    <Link to="/traces" className="flex items-center gap-1 text-fg-3 hover:text-fg" aria-label={words.back}>
      {words.title}
      <ChevronRight className="!h-3.5 !w-3.5" aria-hidden="true" />
    </Link>
  );
}

function Actions({ run }: { run: Run }) {
  const can = useCan();
  const navigate = useNavigate();
  const replay = useReplay();
  const again = () =>
    replay.mutate(run.id, {
      onSuccess: (started) => {
        toast.done(words.replayed, words.replayHint);
        void navigate({ to: "/traces/$run", params: { run: started.run.id } });
      },
      onError: (error) => toast.failed(error, common.errors.title),
    });
  return (
    <>
      <Link to="/chat/$id" params={{ id: run.conversation }} className="btn ghost">
        <ArrowUpRight aria-hidden="true" />
        {words.openChat}
      </Link>
      {can("runs:write") && (
        <Button look="solid" busy={replay.isPending} onClick={again}>
          <RotateCw aria-hidden="true" />
          {words.replay}
        </Button>
      )}
    </>
  );
}

function Trace({ run, spans }: { run: Run; spans: readonly Span[] }) {
  const agents = useQuery(agentsQuery);
  const failing = spans.find((span) => span.state === "failed" && !span.parent) ?? spans[0];
  const [chosen, setChosen] = useState<string>();
  const picked = chosen ?? failing?.id;
  const hue = (name: string) => hueOf(name, agents.data?.data.find((agent) => agent.name === name)?.hue);
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto lg:flex-row lg:overflow-hidden">
      <div className="flex min-w-0 flex-1 flex-col lg:overflow-y-auto">
        <Numbers run={run} spans={spans} />
        <div className="hr" />
        <div className="p-3">
          <Waterfall spans={spans} hue={hue} picked={picked} onPick={setChosen} />
        </div>
      </div>
      <aside
        className="flex-none border-t border-line lg:w-[360px] lg:overflow-y-auto lg:border-l lg:border-t-0"
        aria-label={words.attributes}
      >
        <SpanPanel span={spans.find((span) => span.id === picked)} />
      </aside>
    </div>
  );
}

function Numbers({ run, spans }: { run: Run; spans: readonly Span[] }) {
  const sum = (kind: string) =>
    spans.filter((span) => span.kind === kind).reduce((total, span) => total + span.end - span.start, 0);
  const took = tookOf(run);
  const first = run.first_token_at
    ? Date.parse(run.first_token_at) - Date.parse(run.started_at ?? run.created_at)
    : undefined;
  const facts: readonly (readonly [string, string])[] = [
    [words.started, exactTime(run.started_at ?? run.created_at)],
    [words.duration, took === undefined ? words.running : duration(took)],
    [words.first, first === undefined ? "–" : duration(first)],
    [words.modelTime, duration(sum("model"))],
    [words.toolTime, duration(sum("tool"))],
    [words.tokens, words.tokensIn(short(run.usage?.input ?? 0), short(run.usage?.output ?? 0))],
    [words.cost, itemMoney(run.spent_micros)],
    [words.spans, String(spans.length)],
  ];
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2 px-4 py-3">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-micro text-fg-3">{name}</dt>
          <dd className="num text-base font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
