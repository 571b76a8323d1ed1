import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ListChecks } from "lucide-react";
import { useState } from "react";
import type { Job } from "@/api/types";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { Pill, StatePill, Time } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Select } from "@/ui/field";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { type JobState, jobKindsQuery, jobsQuery, useCancelJob, usePauseKind, useRetryJob } from "./queries";

const words = settings.jobs;
const failed = (error: unknown) => toast.failed(error, common.errors.title);
const states: readonly JobState[] = ["queued", "running", "paused", "finished", "failed", "cancelled"];

export function Jobs({ mayChange }: { mayChange: boolean }) {
  const [state, setState] = useState<JobState | "">("");
  const query = useInfiniteQuery(jobsQuery(state));
  return (
    <Section
      title={words.jobs}
      flush
      actions={
        <Select
          aria-label={words.state}
          className="w-[140px]"
          value={state}
          onChange={(event) => setState(event.target.value as JobState | "")}
          options={[
            { value: "", label: words.anyState },
            ...states.map((value) => ({ value, label: words.states[value] ?? value })),
          ]}
        />
      }
    >
      <View
        query={query}
        isEmpty={(data) => data.pages.every((page) => page.data.length === 0)}
        empty={<Empty icon={<ListChecks />} title={words.empty} body={words.emptyBody} />}
      >
        {(data) => (
          <>
            <JobTable jobs={data.pages.flatMap((page) => page.data)} mayChange={mayChange} />
            {query.hasNextPage && (
              <div className="flex justify-center border-t border-line p-3">
                <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {common.actions.loadMore}
                </Button>
              </div>
            )}
          </>
        )}
      </View>
    </Section>
  );
}

function JobTable({ jobs, mayChange }: { jobs: Job[]; mayChange: boolean }) {
  const cancel = useCancelJob();
  const retry = useRetryJob();
  const columns: Column<Job>[] = [
    { head: words.kind, cell: (job) => <span className="mono">{job.kind}</span> },
    { head: words.state, cell: (job) => <StatePill state={job.state} /> },
    { head: words.progress, cell: (job) => <Progress job={job} /> },
    {
      head: words.attempt,
      right: true,
      cell: (job) => <span className="num">{words.of(job.attempt, job.max_attempts)}</span>,
    },
    { head: words.created, cell: (job) => <Time at={job.created_at} className="text-fg-3" /> },
  ];
  const actions: Column<Job> = {
    head: common.actions.more,
    hideHead: true,
    right: true,
    cell: (job) => {
      if (["queued", "running", "paused"].includes(job.state)) {
        return (
          <Button
            look="ghost"
            disabled={job.cancelling}
            onClick={() =>
              cancel.mutate(job.id, { onError: failed, onSuccess: () => toast.done(words.cancelled) })
            }
          >
            {words.cancel}
          </Button>
        );
      }
      if (job.state === "finished") return null;
      return (
        <Button
          look="ghost"
          onClick={() =>
            retry.mutate(job.id, { onError: failed, onSuccess: () => toast.done(words.retried) })
          }
        >
          {words.retry}
        </Button>
      );
    },
  };
  return (
    <Table
      label={words.jobs}
      rows={jobs}
      id={(job) => job.id}
      columns={mayChange ? [...columns, actions] : columns}
    />
  );
}

function Progress({ job }: { job: Job }) {
  if (job.error && job.state !== "finished") return <span className="text-bad">{job.error}</span>;
  if (job.state === "running" && job.total > 0) {
    return (
      <span className="flex items-center gap-2">
        <progress
          className="h-1.5 w-[90px] accent-accent"
          max={job.total}
          value={job.done}
          aria-label={words.progress}
        />
        <span className="text-small text-fg-3">{job.note}</span>
      </span>
    );
  }
  return <span className="text-fg-3">{job.note}</span>;
}

export function JobKinds({ mayChange }: { mayChange: boolean }) {
  const query = useQuery(jobKindsQuery);
  const pause = usePauseKind();
  return (
    <Section title={words.kinds} flush>
      <View query={query}>
        {(page) => (
          <Table
            label={words.kinds}
            rows={page.data}
            id={(kind) => kind.kind}
            columns={[
              { head: words.kind, cell: (kind) => <span className="mono">{kind.kind}</span> },
              {
                head: words.queued,
                right: true,
                cell: (kind) => <span className="num">{kind.counts.queued ?? 0}</span>,
              },
              {
                head: words.running,
                right: true,
                cell: (kind) => <span className="num">{kind.counts.running ?? 0}</span>,
              },
              {
                head: words.limit,
                right: true,
                cell: (kind) => <span className="num">{kind.concurrency}</span>,
              },
              {
                head: words.state,
                right: true,
                cell: (kind) =>
                  mayChange ? (
                    <Button
                      onClick={() =>
                        pause.mutate(
                          { kind: kind.kind, pause: !kind.paused },
                          {
                            onError: failed,
                            onSuccess: () =>
                              toast.done(kind.paused ? words.resumed(kind.kind) : words.paused(kind.kind)),
                          },
                        )
                      }
                    >
                      {kind.paused ? words.resume : words.pause}
                    </Button>
                  ) : (
                    kind.paused && <Pill>{common.states.paused}</Pill>
                  ),
              },
            ]}
          />
        )}
      </View>
    </Section>
  );
}
