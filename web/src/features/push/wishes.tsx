import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { common } from "@/lib/messages/common";
import { push as words } from "@/lib/messages/push";
import { Field, Input, Select, Switch } from "@/ui/field";
import { Section } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { Setting } from "@/ui/setting";
import { View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { useSaveWishes, type Wishes, wishesQuery } from "./queries";

/** Which kinds, how much of them, and when not. What is changed is saved at once. */
export function WishesForm() {
  const query = useQuery(wishesQuery);
  const save = useSaveWishes();
  const set = (wishes: Wishes, change: Partial<Wishes>) =>
    save.mutate({ ...wishes, ...change }, { onError: (error) => toast.failed(error, common.errors.title) });
  return (
    <>
      <Section title={words.kinds}>
        <View query={query} rows={4}>
          {(wishes) => <Kinds wishes={wishes} set={(change) => set(wishes, change)} />}
        </View>
      </Section>
      <Section title={words.when}>
        <View query={query} rows={2}>
          {(wishes) => <When wishes={wishes} set={(change) => set(wishes, change)} />}
        </View>
      </Section>
    </>
  );
}

type Part = { wishes: Wishes; set: (change: Partial<Wishes>) => void };

const choices = (["never", "long", "always"] as const).map((value) => ({
  value,
  label: words.finishedChoices[value],
}));

function Kinds({ wishes, set }: Part) {
  const one = (name: "approvals" | "questions" | "budgets") => (
    <Setting title={words[name]} help={words[`${name}Help`]}>
      <Switch
        label={words[name]}
        checked={wishes[name]}
        onChange={(event) => set({ [name]: event.target.checked })}
      />
    </Setting>
  );
  return (
    <>
      {one("approvals")}
      {one("questions")}
      <Setting title={words.finished} help={words.finishedHelp}>
        <Segmented
          label={words.finished}
          value={wishes.finished}
          options={choices}
          onChange={(finished) => set({ finished })}
        />
      </Setting>
      {one("budgets")}
    </>
  );
}

const here = Intl.DateTimeFormat().resolvedOptions().timeZone;

function When({ wishes, set }: Part) {
  // A first time in the zone of this device: nobody sleeps by another's clock.
  const zone = wishes.quiet ? wishes.time_zone : here || wishes.time_zone;
  return (
    <>
      <Setting title={words.hide} help={words.hideHelp}>
        <Switch
          label={words.hide}
          checked={wishes.hide_command}
          onChange={(event) => set({ hide_command: event.target.checked })}
        />
      </Setting>
      <Setting title={words.quiet} help={words.quietHelp}>
        <Switch
          label={words.quiet}
          checked={wishes.quiet}
          onChange={(event) => set({ quiet: event.target.checked, time_zone: zone })}
        />
      </Setting>
      {wishes.quiet && <Hours key={`${wishes.quiet_from} ${wishes.quiet_until}`} wishes={wishes} set={set} />}
    </>
  );
}

function Hours({ wishes, set }: Part) {
  const zones = useMemo(() => {
    const all = new Set([wishes.time_zone, "UTC", ...Intl.supportedValuesOf("timeZone")]);
    return [...all].sort().map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }));
  }, [wishes.time_zone]);
  const hour = (name: "quiet_from" | "quiet_until", label: string) => (
    <Field label={label}>
      {(control) => (
        <Input
          type="time"
          defaultValue={wishes[name]}
          onBlur={({ target }) =>
            target.value && target.value !== wishes[name] && set({ [name]: target.value })
          }
          {...control}
        />
      )}
    </Field>
  );
  return (
    <div className="grid gap-4 pb-1 sm:grid-cols-3">
      {hour("quiet_from", words.from)}
      {hour("quiet_until", words.until)}
      <Field label={words.zone}>
        {(control) => (
          <Select
            options={zones}
            value={wishes.time_zone}
            onChange={(event) => set({ time_zone: event.target.value })}
            {...control}
          />
        )}
      </Field>
    </div>
  );
}
