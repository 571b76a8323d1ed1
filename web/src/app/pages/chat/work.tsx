import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, memo, Suspense } from "react";
import type { Helper, ToolCall } from "@/api/turns";
import type { Run } from "@/api/types";
import { eventsQuery } from "@/features/events/queries";
import { Calls, type Look } from "@/features/runs/calls";
import { Question } from "@/features/runs/needs";
import { helpersQuery, streamQuery, useCancelRun, workQuery } from "@/features/runs/queries";
import { Said, Tell } from "@/features/runs/tell/tell";
import { type Told, toldIn } from "@/features/runs/tell/told";
import { applyWork, liveTurns, type Need, noWork, stateOf } from "@/features/runs/work";
import { common } from "@/lib/messages/common";
import { onDemand } from "@/lib/on-demand";
import { Markdown } from "@/ui/markdown";
import { toast } from "@/ui/toast";
import { useCan } from "../../session";
import { useWorkStream } from "./deltas";

const guard = () => import("../../guard-around");
const Approval = onDemand(guard, "default");
const Answered = onDemand(guard, "Answered");

/** What tools and helpers did, with the helpers' own work inside their lanes. */
export const WorkCalls = memo(function WorkCalls({
  calls,
  run,
  look,
}: {
  calls: readonly ToolCall[];
  run: string;
  look: Look;
}) {
  const delegated =
    run !== "" && calls.some((call) => call.helpers.length === 0 && delegates.test(call.tool));
  const helpers = useQuery({ ...helpersQuery(run), enabled: delegated });
  const known = helpers.data?.data;
  const can = useCan();
  const cancel = useCancelRun();
  const stop = (helper: Helper) =>
    cancel.mutate(helper.run, { onError: (error) => toast.failed(error, common.errors.title) });
  const seen = useQuery({ ...workQuery(run), enabled: false }).data.turns.flatMap((turn) => turn.calls);
  const all = calls.map((call) => withHelpers(withSeen(call, seen), known ?? []));
  return (
    <>
      <Calls
        calls={all}
        look={look}
        helper={(helper) => <HelperWork helper={helper} look={look} />}
        onStop={can("runs:write") ? stop : undefined}
      />
      {run !== "" && (
        <Suspense>
          <Answered run={run} />
        </Suspense>
      )}
    </>
  );
});

/** What was seen while it happened, and is not part of the answer that is kept: how long it took, what it changed. */
function withSeen(call: ToolCall, seen: readonly ToolCall[]): ToolCall {
  const live = seen.find((one) => one.call === call.call);
  return live ? { ...live, ...call, helpers: call.helpers.length > 0 ? call.helpers : live.helpers } : call;
}

/** The tools that hand work to another agent. */
const delegates = /^(delegate|fan_out|call_\w+_agent$)/;

/** A finished answer names the call; the runs it started say which helpers worked for it. */
function withHelpers(call: ToolCall, runs: readonly Run[]): ToolCall {
  const helpers = runs
    .filter((run) => run.call === call.call)
    .map(
      (run): Helper => ({
        run: run.id,
        agent: run.agent,
        task: run.task ?? run.title,
        state: stateOf(run.state),
        ...(run.result ? { preview: run.result } : {}),
        ...(run.error ? { error: run.error } : {}),
        ...(run.usage ? { tokens: (run.usage.input ?? 0) + (run.usage.output ?? 0) } : {}),
        cost: run.spent_micros,
        ...(run.finished_at
          ? { took: Date.parse(run.finished_at) - Date.parse(run.started_at ?? run.created_at) }
          : {}),
      }),
    );
  return helpers.length > 0 ? { ...call, helpers } : call;
}

/** The inside of a lane: the helper's own turns, followed live while it works, and a word to it. */
function HelperWork({ helper, look }: { helper: Helper; look: Look }) {
  const cache = useQueryClient();
  const can = useCan();
  const channel = `runs/${helper.run}`;
  useWorkStream(channel);
  const stream = useQuery(streamQuery({ id: helper.run, answer: "" }, cache));
  const done = useQuery({ ...workQuery(helper.run), enabled: false });
  const log = useQuery({ ...eventsQuery(channel), enabled: can("events:read") }).data?.data ?? [];
  const told = toldIn(log);
  // Of a helper that ended before this page was opened its log knows what it did.
  const known = done.data.turns.length > 0 ? done.data : log.reduce(applyWork, noWork);
  const turns = liveTurns(known, stream.data?.text ?? "");
  const before = ({ after }: Told) => after !== undefined && turns.find((turn) => turn.turn > after);
  return (
    <>
      {turns.map((turn) => (
        <Fragment key={turn.turn}>
          {told.map((one) => before(one) === turn && <Said key={one.message} told={one} />)}
          {turn.text !== "" && <Markdown text={turn.text} />}
          {turn.calls.length > 0 && <WorkCalls calls={turn.calls} run={helper.run} look={look} />}
        </Fragment>
      ))}
      {told.map((one) => !before(one) && <Said key={one.message} told={one} />)}
      {helper.preview && turns.at(-1)?.text === "" && <Markdown text={helper.preview} />}
      {helper.state === "running" && can("runs:write") && (
        <Tell run={helper.run} title={look(helper.agent).title} />
      )}
    </>
  );
}

/** Everything a run waits for. */
export function Needs({ needs, mayAnswer }: { needs: readonly Need[]; mayAnswer: boolean }) {
  return needs.map((need) =>
    need.kind === "approval" && need.ticket ? (
      <Suspense key={need.call}>
        <Approval id={need.ticket} compact />
      </Suspense>
    ) : (
      <Question key={need.call} need={need} mayAnswer={mayAnswer} />
    ),
  );
}
