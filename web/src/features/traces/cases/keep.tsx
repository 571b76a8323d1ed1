import { type FormEvent, useState } from "react";
import type { Run } from "@/api/types";
import { common } from "@/lib/messages/common";
import { traces } from "@/lib/messages/traces";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Field, Input, Select, TextArea } from "@/ui/field";
import { Problem } from "@/ui/states";
import { useKeepCase } from "./queries";

const words = traces.cases;

type Check = "same" | "contains";

/** Keeps a run as a test case, with what its answer is held against. */
export function KeepDialog({ run, onClose, onKept }: { run: Run; onClose: () => void; onKept: () => void }) {
  const [name, setName] = useState(run.title);
  const [check, setCheck] = useState<Check>("same");
  const [phrases, setPhrases] = useState("");
  const keep = useKeepCase();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const contains = check === "contains" ? phrases.split("\n").filter((line) => line.trim()) : [];
    keep.mutate({ run: run.id, name, contains }, { onSuccess: onKept });
  };
  return (
    <Dialog open onClose={onClose} title={words.keep} body={words.keepBody}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Field label={words.name}>
          {(control) => (
            <Input
              required
              maxLength={120}
              value={name}
              onChange={(event) => setName(event.target.value)}
              {...control}
            />
          )}
        </Field>
        <Field label={words.check}>
          {(control) => (
            <Select
              value={check}
              options={[
                { value: "same", label: words.same },
                { value: "contains", label: words.contains },
              ]}
              onChange={(event) => setCheck(event.target.value as Check)}
              {...control}
            />
          )}
        </Field>
        {check === "contains" && (
          <Field label={words.phrases} help={words.phrasesHelp}>
            {(control) => (
              <TextArea
                required
                rows={3}
                value={phrases}
                onChange={(event) => setPhrases(event.target.value)}
                {...control}
              />
            )}
          </Field>
        )}
        {keep.error != null && <Problem error={keep.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={keep.isPending}>
            {words.keepAction}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
