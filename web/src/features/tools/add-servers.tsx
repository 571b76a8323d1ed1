import { type FormEvent, useState } from "react";
import { common } from "@/lib/messages/common";
import { tools } from "@/lib/messages/tools";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Field, TextArea } from "@/ui/field";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { useAddServers } from "./queries";

const words = tools.servers;

/** Adds the servers of a pasted text, which the server reads. */
export function AddServers({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const add = useAddServers();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(text, {
      onSuccess: ({ data }) => {
        toast.done(words.added(data.length));
        onClose();
      },
    });
  };
  return (
    <Dialog open onClose={onClose} title={words.addTitle} body={words.addBody} wide>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Field label={words.json}>
          {(control) => (
            <TextArea
              autoFocus
              required
              className="mono min-h-44 py-2"
              spellCheck={false}
              placeholder={words.example}
              value={text}
              onChange={(event) => setText(event.target.value)}
              {...control}
            />
          )}
        </Field>
        {add.error != null && <Problem error={add.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={add.isPending} disabled={text.trim() === ""}>
            {words.add}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
