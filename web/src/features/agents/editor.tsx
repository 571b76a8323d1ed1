import { type FormEvent, useState } from "react";
import type { Agent } from "@/api/types";
import { type Fault, faultsOf } from "@/lib/json-schema";
import { agents as words } from "@/lib/messages/agents";
import { common } from "@/lib/messages/common";
import { Button } from "@/ui/button";
import { Section } from "@/ui/page";
import { SchemaForm } from "@/ui/schema-form";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { changeOf, type Draft, draftOf } from "./draft";
import { useSaveAgent } from "./queries";
import { groups, schemaOf } from "./schema";

/** Everything about an agent that can be changed, as its schema says. */
export function AgentEditor({ agent, mayWrite }: { agent: Agent; mayWrite: boolean }) {
  const [draft, setDraft] = useState(() => draftOf(agent));
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const [fresh, setFresh] = useState(0);
  const save = useSaveAgent(agent.name);
  const change = changeOf(agent, draft);
  const touched = Object.keys(change).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = groups.flatMap(({ id }) => faultsOf(schemaOf(id), draft));
    setFaults(found);
    if (found.length > 0) return;
    save.mutate(
      { ...change, version: agent.version },
      {
        onSuccess: (saved) => {
          setDraft(draftOf(saved as Agent));
          toast.done(words.saved, (saved.warnings ?? []).map((one) => one.message).join(" ") || undefined);
        },
      },
    );
  };
  const undo = () => {
    setDraft(draftOf(agent));
    setFaults([]);
    setFresh(fresh + 1);
  };
  return (
    <form key={fresh} className="flex flex-col gap-4" onSubmit={submit}>
      {groups.map(({ id, title }) => (
        <Section key={id} title={title}>
          <SchemaForm
            schema={schemaOf(id)}
            value={draft}
            onChange={(value) => setDraft({ ...draft, ...(value as Partial<Draft>) })}
            readOnly={!mayWrite}
            faults={faults}
            unmarked
          />
        </Section>
      ))}
      {save.error != null && <Problem error={save.error} title={common.errors.title} />}
      {mayWrite && (
        <div className="savebar">
          {touched && <span className="text-small text-fg-3">{words.unsaved}</span>}
          <Button disabled={!touched} onClick={undo}>
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
