import { type FormEvent, useState } from "react";
import { common } from "@/lib/messages/common";
import { guard } from "@/lib/messages/guard";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Checkbox, Field, Input, Select } from "@/ui/field";
import { Segmented } from "@/ui/segmented";
import { Problem } from "@/ui/states";
import { useAround } from "../around";
import { useAllow } from "./queries";

const words = guard.allowForm;
const day = 24 * 60;

/** Puts a command, or every call of a tool, on the list. */
export function AllowForm({ onClose }: { onClose: () => void }) {
  const { agents } = useAround();
  const allow = useAllow();
  const [kind, setKind] = useState<"command" | "tool">("command");
  const [text, setText] = useState("");
  const [folder, setFolder] = useState("");
  const [agent, setAgent] = useState("");
  const [minutes, setMinutes] = useState(String(30 * day));
  const [network, setNetwork] = useState(false);
  const [note, setNote] = useState("");
  const [tried, setTried] = useState(false);
  const missing = text.trim() === "";
  const crooked = folder !== "" && !folder.startsWith("/");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (missing || crooked) return;
    allow.mutate(
      {
        ...(kind === "command" ? { command: text, network } : { tool: text.trim() }),
        minutes: Number(minutes),
        ...(folder ? { folder } : {}),
        ...(agent ? { agent } : {}),
        ...(note ? { note } : {}),
      },
      { onSuccess: onClose },
    );
  };
  return (
    <Dialog open onClose={onClose} title={words.title} body={words.body}>
      <form className="flex flex-col gap-3" onSubmit={submit} noValidate>
        <Segmented
          label={words.kind}
          value={kind}
          onChange={setKind}
          options={[
            { value: "command", label: words.aCommand },
            { value: "tool", label: words.aTool },
          ]}
        />
        <Field
          label={kind === "command" ? words.command : words.tool}
          help={kind === "command" ? words.commandHelp : words.toolHelp}
          error={tried && missing ? common.errors.required : undefined}
        >
          {(control) => (
            <Input
              {...control}
              className="mono"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        {kind === "command" && (
          <Checkbox
            label={words.network}
            checked={network}
            onChange={(event) => setNetwork(event.target.checked)}
          />
        )}
        <Field
          label={words.folder}
          optional
          help={words.folderHelp}
          error={tried && crooked ? guard.tester.folderAbsolute : undefined}
        >
          {(control) => (
            <Input
              {...control}
              className="mono"
              value={folder}
              onChange={(event) => setFolder(event.target.value)}
            />
          )}
        </Field>
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label={words.agent}>
            {(control) => (
              <Select
                {...control}
                value={agent}
                onChange={(event) => setAgent(event.target.value)}
                options={[
                  { value: "", label: guard.allowed.anyAgent },
                  ...Object.entries(agents).map(([value, label]) => ({ value, label })),
                ]}
              />
            )}
          </Field>
          <Field label={words.until}>
            {(control) => (
              <Select
                {...control}
                value={minutes}
                onChange={(event) => setMinutes(event.target.value)}
                options={[
                  { value: "60", label: words.spans.hour },
                  { value: String(day), label: words.spans.day },
                  { value: String(7 * day), label: words.spans.week },
                  { value: String(30 * day), label: words.spans.month },
                  { value: String(90 * day), label: words.spans.quarter },
                ]}
              />
            )}
          </Field>
        </div>
        <Field label={words.note} optional>
          {(control) => <Input {...control} value={note} onChange={(event) => setNote(event.target.value)} />}
        </Field>
        {allow.error && <Problem error={allow.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={allow.isPending}>
            {words.submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
