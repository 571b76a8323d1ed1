import { type ChangeEvent, type FormEvent, useState } from "react";
import type { Agent } from "@/api/types";
import { agents as words } from "@/lib/messages/agents";
import { common } from "@/lib/messages/common";
import { Button } from "@/ui/button";
import { Checkbox, Field, Input, TextArea } from "@/ui/field";
import { Section } from "@/ui/page";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { changeOf, type Draft, draftOf } from "./draft";
import { useSaveAgent } from "./queries";

/** Everything about an agent that can be changed. */
export function AgentEditor({ agent, mayWrite }: { agent: Agent; mayWrite: boolean }) {
  const [draft, setDraft] = useState(() => draftOf(agent));
  const save = useSaveAgent(agent.name);
  const change = changeOf(agent, draft);
  const touched = Object.keys(change).length > 0;
  const set = <K extends keyof Draft>(key: K, value: Draft[K]) => setDraft({ ...draft, [key]: value });
  const text = (key: keyof Draft) => ({
    value: String(draft[key]),
    readOnly: !mayWrite,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => set(key, event.target.value),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(
      { ...change, version: agent.version },
      {
        onSuccess: (saved) => {
          setDraft(draftOf(saved as Agent));
          toast.done(words.saved);
        },
      },
    );
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <Section title={words.behaviour}>
        <div className="flex flex-col gap-4 px-4 pb-4">
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label={words.displayTitle}>
              {(control) => <Input maxLength={80} {...text("title")} {...control} />}
            </Field>
            <Field label={words.model} help={words.modelHelp} optional>
              {(control) => <Input className="mono" spellCheck={false} {...text("model")} {...control} />}
            </Field>
          </div>
          <Field label={words.description} help={words.descriptionHelp}>
            {(control) => <Input {...text("description")} {...control} />}
          </Field>
          <Field label={words.instructions}>
            {(control) => <TextArea className="min-h-44 py-2" {...text("instructions")} {...control} />}
          </Field>
          <Field label={words.persona} help={words.personaHelp} optional>
            {(control) => <Input {...text("persona")} {...control} />}
          </Field>
        </div>
      </Section>
      <Section title={words.abilities}>
        <div className="grid gap-4 px-4 pb-4 sm:grid-cols-2">
          <Field label={words.tools} help={words.toolsHelp}>
            {(control) => (
              <TextArea className="mono min-h-28 py-2" spellCheck={false} {...text("allow")} {...control} />
            )}
          </Field>
          <Field label={words.denied} help={words.deniedHelp} optional>
            {(control) => (
              <TextArea className="mono min-h-28 py-2" spellCheck={false} {...text("deny")} {...control} />
            )}
          </Field>
          <Field label={words.helpers} help={words.helpersHelp} optional>
            {(control) => (
              <TextArea className="mono min-h-20 py-2" spellCheck={false} {...text("helpers")} {...control} />
            )}
          </Field>
          <fieldset className="flex flex-col gap-2">
            <legend className="mb-1 text-small font-medium">{words.memory}</legend>
            <Checkbox
              label={words.recall}
              checked={draft.recall}
              disabled={!mayWrite}
              onChange={(event) => set("recall", event.target.checked)}
            />
            <Checkbox
              label={words.remember}
              checked={draft.remember}
              disabled={!mayWrite}
              onChange={(event) => set("remember", event.target.checked)}
            />
          </fieldset>
        </div>
      </Section>
      <Section title={words.limits}>
        <div className="grid gap-4 px-4 pb-4 sm:grid-cols-3">
          {(
            [
              ["turns", words.turns],
              ["calls", words.calls],
              ["money", words.money],
            ] as const
          ).map(([key, label]) => (
            <Field key={key} label={label} optional>
              {(control) => (
                <Input inputMode="decimal" placeholder={words.limitDefault} {...text(key)} {...control} />
              )}
            </Field>
          ))}
        </div>
      </Section>
      {save.error != null && <Problem error={save.error} title={common.errors.title} />}
      {mayWrite && (
        <div className="flex items-center justify-end gap-3">
          {touched && <span className="text-small text-fg-3">{words.unsaved}</span>}
          <Button disabled={!touched} onClick={() => setDraft(draftOf(agent))}>
            {common.actions.undo}
          </Button>
          <Button type="submit" look="solid" disabled={!touched} busy={save.isPending}>
            {common.actions.save}
          </Button>
        </div>
      )}
    </form>
  );
}
