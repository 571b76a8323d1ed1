import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowUpRight, ChevronRight, Columns2, Download, RotateCw } from "lucide-react";
import { useState } from "react";
import type { Run } from "@/api/types";
import { catalogueQuery } from "@/features/models/queries";
import { tracesQuery } from "@/features/traces/queries";
import { ReplayDialog } from "@/features/traces/replay";
import { SpanPanel } from "@/features/traces/span-panel";
import type { Span } from "@/features/traces/spans";
import { firstOf, tookOf } from "@/features/traces/spread";
import { Standing } from "@/features/traces/strip";
import { useTrace } from "@/features/traces/use-trace";
import { TraceView } from "@/features/traces/view";
import { traces as words } from "@/lib/messages/traces";
import { itemMoney, short } from "@/lib/money";
import { saveFile } from "@/lib/save";
import { duration, exactTime } from "@/lib/time";
import { StatePill } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { TopBar } from "@/ui/page";
import { Problem, Skeleton, Stale } from "@/ui/states";
import { toast } from "@/ui/toast";
import { useCan } from "../../session";
import { Afterwards } from "./after";
import { useHues } from "./hues";

/** One request, step by step. */
export default function TraceRoute() {
  const { run } = useParams({ strict: false });
  return run ? <TracePage key={run} id={run} /> : null;
}

function TracePage({ id }: { id: string }) {
  const { run, ready, spans, error, retry } = useTrace(id);
  const [replay, setReplay] = useState<{ turn?: number | undefined }>();
  return (
    <>
      <TopBar title={run?.title ?? ""} before={<Back />} after={run && <StatePill state={run.state} />}>
        {run && <Actions run={run} spans={spans} onReplay={() => setReplay({})} />}
      </TopBar>
      {error && !ready ? (
        <Problem error={error} retry={retry} />
      ) : run && ready ? (
        <>
          {error != null && <Stale retry={retry} />}
          <Trace run={run} spans={spans} onReplay={(span) => setReplay({ turn: span.step?.turn })} />
        </>
      ) : (
        <Skeleton rows={8} height={20} className="flex flex-col gap-3 p-5" />
      )}
      {replay && run && <Replay run={run} turn={replay.turn} onClose={() => setReplay(undefined)} />}
    </>
  );
}

function Back() {
  return (
    <Link to="/traces" className="flex items-center gap-1 text-fg-3 hover:text-fg" aria-label={words.back}>
      <span className="max-sm:hidden">{words.title}</span>
      <ChevronRight className="!h-3.5 !w-3.5 max-sm:rotate-180" aria-hidden="true" />
    </Link>
  );
}

function Actions({ run, spans, onReplay }: { run: Run; spans: readonly Span[]; onReplay: () => void }) {
  const can = useCan();
  const download = () =>
    saveFile(`${run.id}.json`, "application/json", JSON.stringify({ run, steps: spans.map(plain) }, null, 2));
  return (
    <>
      <Link to="/chat/$id" params={{ id: run.conversation }} className="btn ghost max-sm:hidden">
        <ArrowUpRight aria-hidden="true" />
        {words.openChat}
      </Link>
      {run.origin && (
        <Link
          to="/traces/compare"
          search={{ a: run.origin, b: run.id }}
          className="btn"
          aria-label={words.compare}
        >
          <Columns2 aria-hidden="true" />
          <span className="max-sm:hidden">{words.compare}</span>
        </Link>
      )}
      <IconButton label={words.download} onClick={download}>
        <Download aria-hidden="true" />
      </IconButton>
      {can("runs:write") && (
        <Button look="solid" aria-label={words.replay} onClick={onReplay}>
          <RotateCw aria-hidden="true" />
          <span className="max-sm:hidden">{words.replay}</span>
        </Button>
      )}
    </>
  );
}

const plain = ({ run, ...span }: Span) => ({ ...span, run: run.id });

function Replay({ run, turn, onClose }: { run: Run; turn: number | undefined; onClose: () => void }) {
  const navigate = useNavigate();
  const models = useQuery({ ...catalogueQuery, enabled: useCan()("models:read") });
  return (
    <ReplayDialog
      of={{ run: run.id, model: run.model, turn }}
      models={models.data?.data ?? []}
      onClose={onClose}
      onStarted={(started) => {
        onClose();
        toast.done(words.replayed, words.replayHint);
        void navigate({ to: "/traces/compare", search: { a: run.id, b: started } });
      }}
    />
  );
}

function Trace({
  run,
  spans,
  onReplay,
}: {
  run: Run;
  spans: readonly Span[];
  onReplay: (span: Span) => void;
}) {
  const can = useCan();
  const hue = useHues();
  const others = useInfiniteQuery(tracesQuery({ agent: run.agent }));
  const failing = spans.find((span) => span.state === "failed" && !span.parent) ?? spans[0];
  const [chosen, setChosen] = useState<string>();
  const picked = chosen ?? failing?.id;
  const took = tookOf(run);
  const durations = (others.data?.pages.flatMap((page) => page.data) ?? [])
    .map(tookOf)
    .filter((one) => one !== undefined);
  const span = spans.find((one) => one.id === picked);
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto lg:flex-row lg:overflow-hidden">
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex flex-wrap items-center gap-x-4 pr-4">
          <Numbers run={run} spans={spans} />
          <span className="flex flex-1 flex-wrap justify-end gap-2 py-3 empty:hidden max-sm:justify-start max-sm:px-4 max-sm:pt-0">
            <Afterwards run={run} />
          </span>
        </div>
        <div className="hr" />
        <TraceView spans={spans} hue={hue} picked={picked} onPick={setChosen} />
        {took !== undefined && <Standing took={took} durations={durations} />}
      </div>
      <aside
        className="flex-none border-t border-line lg:w-[360px] lg:overflow-y-auto lg:border-l lg:border-t-0"
        aria-label={words.attributes}
      >
        <SpanPanel
          span={span}
          hue={hue}
          links={(one) =>
            one.kind === "tool" && can("guard:read") ? (
              <Link
                to="/safety/$tab"
                params={{ tab: "audit" }}
                search={{ run: one.run.id, tool: one.step?.name ?? "" }}
                className="link self-start text-small"
              >
                {words.ruling}
              </Link>
            ) : null
          }
          onReplay={can("runs:write") && span?.run.id === run.id ? onReplay : undefined}
        />
      </aside>
    </div>
  );
}

function Numbers({ run, spans }: { run: Run; spans: readonly Span[] }) {
  const sum = (kind: string) =>
    spans.filter((span) => span.kind === kind).reduce((total, span) => total + span.end - span.start, 0);
  const took = tookOf(run);
  const first = firstOf(run);
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
