import { useQuery } from "@tanstack/react-query";
import { CalendarClock, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Schedule } from "@/api/types";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { Time } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Switch } from "@/ui/field";
import { Section } from "@/ui/page";
import { useRemoval } from "@/ui/removal";
import { Empty, View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { schedulesQuery, useRemoveSchedule, useSaveSchedule } from "./queries";
import { type Choice, ScheduleForm } from "./schedule-form";
import { inWords } from "./when";

const words = settings.jobs;
const form = words.schedule;

/** What starts by the clock. Who may makes agents be asked by it. */
export function Schedules(props: { mayChange: boolean; mayCreate: boolean; agents: readonly Choice[] }) {
  const { mayChange, mayCreate, agents } = props;
  const query = useQuery(schedulesQuery);
  const [adding, setAdding] = useState(false);
  const save = useSaveSchedule();
  const remove = useRemoveSchedule();
  const [ask, dialog] = useRemoval<Schedule>({
    title: (schedule) => form.removeTitle(nameOf(schedule)),
    body: form.removeBody,
    action: form.remove,
    done: form.removed,
    remove: (schedule) => remove.mutateAsync(schedule.id),
  });
  const add = mayCreate && agents.length > 0 && (
    <Button look="solid" onClick={() => setAdding(true)}>
      <Plus aria-hidden="true" />
      {form.add}
    </Button>
  );
  const columns: Column<Schedule>[] = [
    { head: words.name, cell: (schedule) => <What schedule={schedule} agents={agents} /> },
    { head: words.cron, cell: (schedule) => <span title={schedule.cron}>{inWords(schedule.cron)}</span> },
    { head: words.zone, cell: (schedule) => schedule.time_zone },
    { head: words.next, cell: (schedule) => <Time at={schedule.next_at} className="text-fg-3" /> },
    { head: words.last, cell: (schedule) => <Time at={schedule.last_at} className="text-fg-3" /> },
    {
      head: words.enabled,
      right: true,
      cell: (schedule) => (
        <Switch
          label={`${words.enabled}: ${nameOf(schedule)}`}
          checked={schedule.enabled}
          disabled={!mayChange}
          onChange={(event) =>
            save.mutate(
              { id: schedule.id, enabled: event.target.checked },
              { onError: (error) => toast.failed(error, common.errors.title) },
            )
          }
        />
      ),
    },
  ];
  const actions: Column<Schedule> = {
    head: common.actions.more,
    hideHead: true,
    right: true,
    cell: (schedule) => (
      <IconButton label={`${form.remove}: ${nameOf(schedule)}`} onClick={() => ask(schedule)}>
        <Trash2 aria-hidden="true" />
      </IconButton>
    ),
  };
  return (
    <Section title={words.schedules} flush actions={add}>
      <View
        query={query}
        isEmpty={(page) => page.data.length === 0}
        empty={
          <Empty icon={<CalendarClock />} title={words.emptySchedules} body={words.emptySchedulesBody} />
        }
      >
        {(page) => (
          <Table
            label={words.schedules}
            rows={page.data}
            id={(schedule) => schedule.id}
            columns={mayChange ? [...columns, actions] : columns}
          />
        )}
      </View>
      {adding && <ScheduleForm agents={agents} onClose={() => setAdding(false)} />}
      {dialog}
    </Section>
  );
}

const nameOf = (schedule: Schedule) => schedule.name || schedule.kind;

/** What a schedule does: whom it asks what, or which work it starts. */
function What({ schedule, agents }: { schedule: Schedule; agents: readonly Choice[] }) {
  const args = (schedule.args ?? {}) as { agent?: string; message?: string };
  return (
    <span className="flex min-w-0 flex-col">
      <span className="trunc">{nameOf(schedule)}</span>
      {args.agent && args.message ? (
        <span className="trunc max-w-[280px] text-small text-fg-3" title={args.message}>
          {agents.find((one) => one.value === args.agent)?.label ?? args.agent}: {args.message}
        </span>
      ) : (
        <span className="mono text-small text-fg-3">{schedule.kind}</span>
      )}
    </span>
  );
}
