import { type FormEvent, useState } from "react";
import { common } from "@/lib/messages/common";
import { traces as words } from "@/lib/messages/traces";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Field, Select } from "@/ui/field";
import { Problem } from "@/ui/states";
import { type ToolMode, useReplay } from "./queries";

export type ReplayOf = {
  run: string;
  model: string;
  /** The turn that is done anew; what was done before it is taken over. Undefined: all of it is done anew. */
  turn?: number | undefined;
};

/** Asks once more, with the same model or another; nothing of the original changes. */
export function ReplayDialog({
  of,
  models,
  onClose,
  onStarted,
}: {
  of: ReplayOf;
  models: readonly { id: string }[];
  onClose: () => void;
  onStarted: (run: string) => void;
}) {
  const [model, setModel] = useState("");
  const [tools, setTools] = useState<ToolMode>("recorded");
  const replay = useReplay();
  const kept = of.turn !== undefined && of.turn > 1 ? of.turn - 1 : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    replay.mutate(
      { run: of.run, tools, ...(model ? { model } : {}), ...(kept ? { turn: kept } : {}) },
      { onSuccess: (started) => onStarted(started.run.id) },
    );
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={kept ? words.replayTurn(kept + 1) : words.replayTitle}
      body={kept ? words.replayTurnBody(kept) : words.replayBody}
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Field label={words.model} help={words.replayModelHelp}>
          {(control) => (
            <Select
              value={model}
              options={[
                { value: "", label: words.sameModel(of.model) },
                ...models.map((one) => ({ value: one.id, label: one.id })),
              ]}
              onChange={(event) => setModel(event.target.value)}
              {...control}
            />
          )}
        </Field>
        <Field label={words.tools} help={words.toolHelp[tools]}>
          {(control) => (
            <Select
              value={tools}
              options={words.toolModes}
              onChange={(event) => setTools(event.target.value as ToolMode)}
              {...control}
            />
          )}
        </Field>
        {replay.error != null && <Problem error={replay.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={replay.isPending}>
            {words.replay}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
