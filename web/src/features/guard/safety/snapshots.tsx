import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { FileClock, Undo2 } from "lucide-react";
import { useState } from "react";
import { count } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { guard } from "@/lib/messages/guard";
import { Pill, Time, type Tone } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Section } from "@/ui/page";
import { Empty, Problem, View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { useAround, useNames } from "../around";
import { type Plan, previewQuery, type Snapshot, snapshotsQuery, useUndo } from "./queries";

const words = guard.snapshots;

type Target = { call?: string; run?: string };

/** What calls changed, and the way back. */
export function Snapshots({ run, onRun }: { run: string; onRun: (run: string) => void }) {
  const { mayUndo } = useAround();
  const names = useNames();
  const query = useInfiniteQuery(snapshotsQuery(run));
  const [target, setTarget] = useState<Target>();
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const columns: Column<Snapshot>[] = [
    { head: words.when, cell: (one) => <Time at={one.at} /> },
    {
      head: words.what,
      cell: (one) => (
        <span className="flex min-w-0 flex-col">
          <code className="mono">{one.tool}</code>
          <code className="mono text-small break-all text-fg-3">{one.folder}</code>
        </span>
      ),
    },
    { head: words.agent, cell: (one) => one.agent && names.agent(one.agent) },
    { head: words.files, right: true, cell: (one) => <span className="num">{count(one.changed)}</span> },
    { head: words.state, cell: (one) => <State of={one} /> },
    ...(mayUndo
      ? [
          {
            head: words.undo,
            hideHead: true,
            right: true,
            cell: (one: Snapshot) =>
              one.state !== "undone" && (
                <Button onClick={() => setTarget({ call: one.call })}>
                  <Undo2 aria-hidden="true" />
                  {words.undo}
                </Button>
              ),
          },
        ]
      : []),
  ];
  return (
    <>
      <Section
        title={words.title}
        note={words.note}
        flush
        actions={
          run && (
            <>
              <Button look="ghost" onClick={() => onRun("")}>
                {words.allRuns}
              </Button>
              {mayUndo && <Button onClick={() => setTarget({ run })}>{words.undoRun}</Button>}
            </>
          )
        }
      >
        <View
          query={query}
          isEmpty={() => rows.length === 0}
          empty={<Empty icon={<FileClock aria-hidden="true" />} title={words.empty} body={words.emptyBody} />}
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
      {target && <UndoDialog target={target} onClose={() => setTarget(undefined)} />}
    </>
  );
}

const tones: Record<string, Tone> = { open: "warn", kept: "line", undone: "ok" };

function State({ of }: { of: Snapshot }) {
  return <Pill tone={tones[of.state] ?? "line"}>{words.states[of.state] ?? of.state}</Pill>;
}

/** Shows what an undo would do, path by path, before it is done. */
export function UndoDialog({ target, onClose }: { target: Target; onClose: () => void }) {
  const preview = useQuery(previewQuery(target));
  const undo = useUndo();
  const run = () =>
    undo.mutate(target, {
      onSuccess: (plan) => {
        onClose();
        const back = plan.call;
        toast.done(
          words.done(plan.steps.filter((step) => step.action !== "nothing").length),
          undefined,
          back
            ? {
                label: words.redo,
                run: () =>
                  undo.mutate({ call: back }, { onError: (error) => toast.failed(error, words.failed) }),
              }
            : undefined,
        );
      },
    });
  return (
    <Dialog open wide onClose={onClose} title={words.previewTitle} body={words.previewBody}>
      <View query={preview} rows={4}>
        {(plan) => <Steps plan={plan} />}
      </View>
      {undo.error && <Problem error={undo.error} title={words.failed} />}
      <DialogActions>
        <Button onClick={onClose}>{common.actions.cancel}</Button>
        {preview.data && preview.data.stuck === 0 && (
          <Button look="solid" busy={undo.isPending} onClick={run}>
            <Undo2 aria-hidden="true" />
            {words.undoNow}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

const actionTones: Record<string, Tone> = { restore: "ok", remove: "warn", nothing: "line", stuck: "bad" };

function Steps({ plan }: { plan: Plan }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {plan.stuck > 0 && (
        <p className="ban bad" role="status">
          {words.stuck(plan.stuck)}
        </p>
      )}
      <ul className="well flex max-h-[46dvh] flex-col overflow-y-auto" aria-label={words.steps}>
        {plan.steps.map((step) => (
          <li
            key={`${step.folder}/${step.path}`}
            className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-b border-line px-3 py-2 last:border-0"
          >
            <Pill tone={actionTones[step.action] ?? "line"}>{words.actions[step.action] ?? step.action}</Pill>
            <code className="mono min-w-0 flex-1 break-all" title={step.folder}>
              {step.path}
            </code>
            <span className="text-small text-fg-3">{step.why || words.change(step.is, step.was)}</span>
          </li>
        ))}
      </ul>
      {plan.notes.length > 0 && (
        <ul className="list-disc pl-5 text-small text-fg-3">
          {plan.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
