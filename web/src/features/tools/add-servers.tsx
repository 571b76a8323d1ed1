import { type FormEvent, useState } from "react";
import { type Fault, faultsOf, type Schema } from "@/lib/json-schema";
import { common } from "@/lib/messages/common";
import { tools } from "@/lib/messages/tools";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Field, TextArea } from "@/ui/field";
import { SchemaForm } from "@/ui/schema-form";
import { Segmented } from "@/ui/segmented";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { type Entry, entries, textOf } from "./catalogue";
import { useAddServers } from "./queries";

const words = tools.servers;

/** Adds servers: one that is known, or those of a pasted text. */
export function AddServers({ onClose }: { onClose: () => void }) {
  const [by, setBy] = useState<"catalogue" | "json">("catalogue");
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.addTitle}
      body={by === "json" ? words.addBody : tools.catalogue.body}
      wide
    >
      <div>
        <Segmented
          label={words.addTitle}
          value={by}
          options={(["catalogue", "json"] as const).map((value) => ({
            value,
            label: tools.catalogue.ways[value],
          }))}
          onChange={setBy}
        />
      </div>
      {by === "json" ? <ByText onClose={onClose} /> : <ByCatalogue onClose={onClose} />}
    </Dialog>
  );
}

function ByCatalogue({ onClose }: { onClose: () => void }) {
  const [entry, setEntry] = useState<Entry>();
  if (entry) return <Fill entry={entry} onBack={() => setEntry(undefined)} onClose={onClose} />;
  return (
    <ul className="grid gap-2 sm:grid-cols-2">
      {entries.map((one) => (
        <li key={one.id} className="flex">
          <button
            type="button"
            className="card flex min-w-0 flex-1 flex-col items-start gap-0.5 p-3 text-left hover:bg-hover"
            onClick={() => setEntry(one)}
          >
            <span className="font-medium">{tools.catalogue.entries[one.id].title}</span>
            <span className="text-small text-fg-3">{tools.catalogue.entries[one.id].body}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What an entry needs to be told before it can be added. */
function Fill({ entry, onBack, onClose }: { entry: Entry; onBack: () => void; onClose: () => void }) {
  const [given, setGiven] = useState<Record<string, string>>({});
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const add = useAddServers();
  const schema: Schema = { type: "object", properties: entry.fields, required: entry.required };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(schema, given);
    setFaults(found);
    if (found.length > 0) return;
    add.mutate(textOf(entry, given), {
      onSuccess: ({ data }) => {
        toast.done(words.added(data.length));
        onClose();
      },
    });
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <p>
        <span className="font-medium">{tools.catalogue.entries[entry.id].title}.</span>{" "}
        <span className="text-fg-2">{tools.catalogue.entries[entry.id].body}</span>
      </p>
      <SchemaForm
        schema={schema}
        value={given}
        onChange={(value) => setGiven(value as Record<string, string>)}
        faults={faults}
      />
      {add.error != null && <Problem error={add.error} title={common.errors.title} />}
      <DialogActions>
        <Button onClick={onBack}>{common.actions.back}</Button>
        <Button type="submit" look="solid" busy={add.isPending}>
          {words.add}
        </Button>
      </DialogActions>
    </form>
  );
}

/** Adds the servers of a pasted text, which the server reads. */
function ByText({ onClose }: { onClose: () => void }) {
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
  );
}
