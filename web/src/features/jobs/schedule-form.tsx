import { type FormEvent, useState } from "react";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Field, Input, Select, TextArea } from "@/ui/field";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { useCreateSchedule } from "./queries";
import { cronOf, mornings, type Rhythm, rhythms, type When, weekdays } from "./when";

const { name: nameLabel, zone: zoneLabel, schedule: words } = settings.jobs;

/** Something to choose from a list. */
export type Choice = { value: string; label: string };

/** Has an agent asked something by the clock. */
export function ScheduleForm({ agents, onClose }: { agents: readonly Choice[]; onClose: () => void }) {
  const [name, setName] = useState("");
  const [agent, setAgent] = useState(agents[0]?.value ?? "");
  const [message, setMessage] = useState("");
  const [when, setWhen] = useState(mornings);
  const [zone, setZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const create = useCreateSchedule();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const made = await create
      .mutateAsync({
        name: name.trim(),
        kind: "runs.start",
        args: { agent, message: message.trim() },
        cron: cronOf(when),
        time_zone: zone.trim(),
      })
      .catch(() => undefined);
    if (!made) return;
    toast.done(words.created);
    onClose();
  };
  const whole = name.trim() !== "" && message.trim() !== "" && cronOf(when) !== "";
  return (
    <Dialog open onClose={onClose} title={words.add}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={nameLabel}>
            {(control) => (
              <Input
                autoFocus
                required
                autoComplete="off"
                maxLength={128}
                value={name}
                onChange={(event) => setName(event.target.value)}
                {...control}
              />
            )}
          </Field>
          <Field label={words.agent}>
            {(control) => (
              <Select
                options={agents}
                value={agent}
                onChange={(event) => setAgent(event.target.value)}
                {...control}
              />
            )}
          </Field>
        </div>
        <Field label={words.message} help={words.messageHelp}>
          {(control) => (
            <TextArea
              required
              className="min-h-20 py-2"
              value={message}
              onChange={(event) => setMessage(event.target.value)}
              {...control}
            />
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Moment when={when} onChange={(change) => setWhen({ ...when, ...change })} />
          <Field label={zoneLabel}>
            {(control) => (
              <Input
                required
                autoComplete="off"
                spellCheck={false}
                value={zone}
                onChange={(event) => setZone(event.target.value)}
                {...control}
              />
            )}
          </Field>
        </div>
        {create.error && <Problem error={create.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={create.isPending} disabled={!whole}>
            {words.add}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** How often, and what has to be said for that. */
function Moment({ when, onChange }: { when: When; onChange: (change: Partial<When>) => void }) {
  return (
    <>
      <Field label={words.repeats}>
        {(control) => (
          <Select
            options={rhythms.map((value) => ({ value, label: words.every[value] }))}
            value={when.every}
            onChange={(event) => onChange({ every: event.target.value as Rhythm })}
            {...control}
          />
        )}
      </Field>
      {when.every === "week" && (
        <Field label={words.weekday}>
          {(control) => (
            <Select
              options={weekdays.map(({ value, label }) => ({ value: String(value), label }))}
              value={String(when.weekday)}
              onChange={(event) => onChange({ weekday: Number(event.target.value) })}
              {...control}
            />
          )}
        </Field>
      )}
      {when.every === "month" && (
        <Field label={words.date} help={words.dateHelp}>
          {(control) => (
            <Input
              type="number"
              required
              min={1}
              max={31}
              value={when.date}
              onChange={(event) => onChange({ date: Number(event.target.value) })}
              {...control}
            />
          )}
        </Field>
      )}
      {when.every === "cron" ? (
        <Field label={words.cron} help={words.cronHelp}>
          {(control) => (
            <Input
              required
              className="mono"
              autoComplete="off"
              spellCheck={false}
              value={when.cron}
              onChange={(event) => onChange({ cron: event.target.value })}
              {...control}
            />
          )}
        </Field>
      ) : (
        <Field label={when.every === "hour" ? words.minute : words.time}>
          {(control) =>
            when.every === "hour" ? (
              <Input
                type="number"
                required
                min={0}
                max={59}
                value={Number(when.time.slice(3))}
                onChange={(event) =>
                  onChange({ time: `${when.time.slice(0, 3)}${event.target.value.padStart(2, "0")}` })
                }
                {...control}
              />
            ) : (
              <Input
                type="time"
                required
                value={when.time}
                onChange={(event) => onChange({ time: event.target.value })}
                {...control}
              />
            )
          }
        </Field>
      )}
    </>
  );
}
