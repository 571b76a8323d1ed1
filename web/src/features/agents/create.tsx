import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Agent } from "@/api/types";
import { agents as words } from "@/lib/messages/agents";
import { common } from "@/lib/messages/common";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Field, Input, Select } from "@/ui/field";
import { Problem } from "@/ui/states";
import { presetsQuery, useCreateAgent } from "./queries";

/** A new agent begins as a copy of one that works. */
export function CreateAgent({
  list,
  onClose,
  onDone,
}: {
  list: readonly Agent[];
  onClose: () => void;
  onDone: (name: string) => void;
}) {
  const [name, setName] = useState("");
  const presets = useQuery(presetsQuery);
  const choices = [
    ...list.map((agent) => ({ id: `agent:${agent.name}`, agent, group: words.mine })),
    ...(presets.data?.data ?? []).map((agent) => ({
      id: `preset:${agent.name}`,
      agent,
      group: words.presets,
    })),
  ];
  const [from, setFrom] = useState(`agent:${list[0]?.name ?? ""}`);
  const create = useCreateAgent();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const source = choices.find((one) => one.id === from)?.agent;
    const { tools, helpers, memory, instructions, description, model } = source ?? {};
    create.mutate(
      {
        name: name.trim(),
        ...(description ? { description } : {}),
        ...(instructions ? { instructions } : {}),
        ...(model ? { model } : {}),
        ...(tools ? { tools } : {}),
        ...(helpers ? { helpers } : {}),
        ...(memory ? { memory: { recall: memory.recall, remember: memory.remember } } : {}),
      },
      { onSuccess: (made) => onDone(made.name) },
    );
  };
  return (
    <Dialog open onClose={onClose} title={words.createTitle} body={words.createBody}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Field label={words.name} help={words.nameHelp}>
          {(control) => (
            <Input
              autoFocus
              required
              className="mono"
              pattern="[a-z0-9][a-z0-9_\-]*"
              maxLength={64}
              value={name}
              onChange={(event) => setName(event.target.value)}
              {...control}
            />
          )}
        </Field>
        <Field label={words.from}>
          {(control) => (
            <Select
              value={from}
              options={choices.map(({ id, agent, group }) => ({
                value: id,
                label: `${agent.title} (${group})`,
              }))}
              onChange={(event) => setFrom(event.target.value)}
              {...control}
            />
          )}
        </Field>
        {create.error != null && <Problem error={create.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={create.isPending} disabled={name.trim() === ""}>
            {common.actions.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
