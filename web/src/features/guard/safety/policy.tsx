import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { common } from "@/lib/messages/common";
import { guard } from "@/lib/messages/guard";
import { Button } from "@/ui/button";
import { Confirm } from "@/ui/dialog";
import { Checkbox, Field, Input, Select, TextArea } from "@/ui/field";
import { Section } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { Problem, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { useAround } from "../around";
import { policyQuery } from "../queries";
import { AgentRows, RateRows, ToolRows } from "./policy-rows";
import { type Policy, useResetPolicy, useSavePolicy } from "./queries";

const words = guard.policy;

/** What agents of the workspace may do. */
export function PolicyPage() {
  const query = useQuery(policyQuery);
  return (
    <View query={query} rows={10}>
      {(policy) => <Form key={JSON.stringify(policy)} policy={policy} />}
    </View>
  );
}

const modes = ["standard", "careful", "locked"] as const;
const actions = Object.entries(guard.actions).map(([value, label]) => ({ value, label }));

export function ActionSelect({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      options={actions}
    />
  );
}

function Form({ policy }: { policy: Policy }) {
  const { mayChange } = useAround();
  const [draft, setDraft] = useState(policy);
  const save = useSavePolicy();
  const set = (change: Partial<Policy>) => setDraft({ ...draft, ...change });
  const changed = JSON.stringify(draft) !== JSON.stringify(policy);
  const submit = () =>
    save.mutate(draft, {
      onSuccess: () => toast.done(words.saved),
    });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {!mayChange && <p className="ban">{words.readOnly}</p>}
      <fieldset disabled={!mayChange} className="flex min-w-0 flex-col gap-4" aria-label={words.title}>
        <Section title={words.mode} actions={mayChange && <Reset />}>
          <div className="flex flex-col gap-2">
            <div>
              <Segmented
                label={words.mode}
                value={draft.mode as (typeof modes)[number]}
                onChange={(mode) => set({ mode })}
                options={modes.map((value) => ({ value, label: words.modes[value] }))}
              />
            </div>
            <p className="text-fg-2">{words.modeHelp[draft.mode]}</p>
          </div>
        </Section>
        <Section title={words.levels} note={words.levelsNote}>
          <div className="grid gap-3 sm:grid-cols-3">
            {(["public", "restricted", "dangerous"] as const).map((level) => (
              <Labelled key={level} label={words.level[level]} help={words.levelHelp[level]}>
                <ActionSelect
                  label={words.level[level]}
                  value={draft.levels[level]}
                  onChange={(value) => set({ levels: { ...draft.levels, [level]: value } })}
                />
              </Labelled>
            ))}
          </div>
        </Section>
        <Section title={words.matrix} note={words.matrixNote}>
          <AgentRows agents={draft.agents} onChange={(agents) => set({ agents })} />
        </Section>
        <Section title={words.tools} note={words.toolsNote}>
          <ToolRows rules={draft.tools} onChange={(tools) => set({ tools })} />
        </Section>
        <Reach draft={draft} set={set} />
        <People draft={draft} set={set} />
        <Section title={words.rates} note={words.ratesNote}>
          <RateRows rates={draft.rates} onChange={(rates) => set({ rates })} />
        </Section>
      </fieldset>
      {save.error && (
        <div className="card">
          <Problem error={save.error} title={words.notSaved} />
        </div>
      )}
      {changed && (
        <div className="policybar card">
          <span className="flex-1 text-fg-3" role="status">
            {words.unsaved}
          </span>
          <Button onClick={() => setDraft(policy)}>{words.discard}</Button>
          <Button type="submit" look="solid" busy={save.isPending}>
            {common.actions.save}
          </Button>
        </div>
      )}
    </form>
  );
}

function Labelled({
  label,
  help,
  children,
}: {
  label: string;
  help?: string | undefined;
  children: ReactNode;
}) {
  return (
    <div className="field">
      <span className="lab" aria-hidden="true">
        {label}
      </span>
      {children}
      {help && <span className="help">{help}</span>}
    </div>
  );
}

type Part = { draft: Policy; set: (change: Partial<Policy>) => void };

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** A list of texts, one a line. What is being typed stays as it is. */
function Lines({
  label,
  help,
  value,
  onChange,
}: {
  label: string;
  help?: string;
  value: readonly string[];
  onChange: (value: string[]) => void;
}) {
  const [text, setText] = useState(value.join("\n"));
  return (
    <Field label={label} help={help}>
      {(control) => (
        <TextArea
          {...control}
          className="mono"
          rows={3}
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            onChange(lines(event.target.value));
          }}
        />
      )}
    </Field>
  );
}

/** Files and machines outside the project. */
function Reach({ draft, set }: Part) {
  const { paths, hosts } = draft;
  return (
    <>
      <Section title={words.paths} note={words.pathsNote}>
        <div className="grid gap-3 sm:grid-cols-3">
          <Labelled label={words.outside}>
            <ActionSelect
              label={words.outside}
              value={paths.outside}
              onChange={(outside) => set({ paths: { ...paths, outside } })}
            />
          </Labelled>
          <Lines
            label={words.pathsAllow}
            help={words.onePerLine}
            value={paths.allow}
            onChange={(allow) => set({ paths: { ...paths, allow } })}
          />
          <Lines
            label={words.pathsDeny}
            help={words.onePerLine}
            value={paths.deny}
            onChange={(deny) => set({ paths: { ...paths, deny } })}
          />
        </div>
      </Section>
      <Section title={words.hosts} note={words.hostsNote}>
        <div className="grid gap-3 sm:grid-cols-3">
          <Labelled label={words.others}>
            <ActionSelect
              label={words.others}
              value={hosts.others}
              onChange={(others) => set({ hosts: { ...hosts, others } })}
            />
          </Labelled>
          <Lines
            label={words.hostsAllow}
            help={words.onePerLine}
            value={hosts.allow}
            onChange={(allow) => set({ hosts: { ...hosts, allow } })}
          />
          <Lines
            label={words.hostsDeny}
            help={words.onePerLine}
            value={hosts.deny}
            onChange={(deny) => set({ hosts: { ...hosts, deny } })}
          />
        </div>
      </Section>
    </>
  );
}

/** Who is asked, and what happens when nobody is there. */
function People({ draft, set }: Part) {
  const minutes = (label: string, key: "deadline_seconds" | "unattended_deadline_seconds") => (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          type="number"
          inputMode="numeric"
          min={1}
          value={Math.round(draft[key] / 60)}
          onChange={(event) => set({ [key]: Math.max(1, Number(event.target.value) || 1) * 60 })}
        />
      )}
    </Field>
  );
  return (
    <Section title={words.people}>
      <div className="flex flex-col gap-3">
        <Checkbox
          label={words.twoPerson}
          help={words.twoPersonHelp}
          checked={draft.two_person}
          onChange={(event) => set({ two_person: event.target.checked })}
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <Labelled label={words.secrets} help={words.secretsHelp}>
            <ActionSelect
              label={words.secrets}
              value={draft.secrets}
              onChange={(secrets) => set({ secrets })}
            />
          </Labelled>
          <Field label={words.unattended} help={words.unattendedHelp[draft.unattended]}>
            {(control) => (
              <Select
                {...control}
                value={draft.unattended}
                onChange={(event) => set({ unattended: event.target.value })}
                options={Object.entries(words.unattendedWays).map(([value, label]) => ({ value, label }))}
              />
            )}
          </Field>
          {minutes(words.deadline, "deadline_seconds")}
          {minutes(words.unattendedDeadline, "unattended_deadline_seconds")}
        </div>
      </div>
    </Section>
  );
}

function Reset() {
  const reset = useResetPolicy();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button look="ghost" onClick={() => setAsking(true)}>
        {words.reset}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={words.resetTitle}
        body={words.resetBody}
        action={words.reset}
        onConfirm={() => reset.mutateAsync(undefined)}
      />
    </>
  );
}
