import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { ApiError } from "@/api/errors";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { Pill } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Diff } from "@/ui/diff";
import { Section } from "@/ui/page";
import { Problem, View } from "@/ui/states";
import { type Mark, TextEditor } from "@/ui/text-editor";
import { toast } from "@/ui/toast";
import { type ConfigFile, checkQuery, configFileQuery, useSaveFile } from "./queries";

const words = settings.config;

/** The settings file as a text: checked while it is written, shown as a difference before it is saved. */
export function ConfigFileEditor({ mayChange }: { mayChange: boolean }) {
  const file = useQuery(configFileQuery);
  return (
    <Section title={words.fileTitle} note={file.data?.file}>
      <View query={file} rows={14}>
        {(data) => <Editor key={data.etag} file={data} mayChange={mayChange} />}
      </View>
    </Section>
  );
}

function Editor({ file, mayChange }: { file: ConfigFile; mayChange: boolean }) {
  const [text, setText] = useState(file.text);
  const [asking, setAsking] = useState(false);
  const wanted = useDeferredValue(text);
  const touched = text !== file.text;
  const check = useQuery({ ...checkQuery(wanted), enabled: wanted !== file.text && wanted.trim() !== "" });
  const marks = touched ? (check.data?.problems ?? []).map(markOf) : [];
  const pending = touched && (check.isFetching || wanted !== text);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-small text-fg-3">{words.fileNote}</p>
      <TextEditor
        label={words.fileTitle}
        value={text}
        onChange={setText}
        marks={marks}
        readOnly={!mayChange}
      />
      {check.error != null && touched && <Problem error={check.error} title={common.errors.title} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {touched && !pending && marks.length === 0 && check.data && <Pill tone="ok">{words.valid}</Pill>}
        {marks.length > 0 && <Pill tone="bad">{words.problems(marks.length)}</Pill>}
        <span className="flex-1" />
        {mayChange && (
          <>
            <Button disabled={!touched} onClick={() => setText(file.text)}>
              {common.actions.undo}
            </Button>
            <Button
              look="solid"
              disabled={!touched || marks.length > 0}
              busy={pending}
              onClick={() => setAsking(true)}
            >
              {words.review}
            </Button>
          </>
        )}
      </div>
      {asking && <Save file={file} text={text} onClose={() => setAsking(false)} />}
    </div>
  );
}

type Wrong = { line?: number; key?: string; message: string; hint?: string };

function markOf({ line, key, message, hint }: Wrong): Mark {
  return { line: line ?? 0, text: [key, message, hint].filter(Boolean).join(" ") };
}

function Save({ file, text, onClose }: { file: ConfigFile; text: string; onClose: () => void }) {
  const save = useSaveFile();
  const go = () =>
    save.mutate(
      { text, etag: file.etag },
      {
        onSuccess: ({ change }) => {
          const later = change.needs_restart.map((diff) => diff.key).join(", ");
          if (later) toast.info(words.savedRestart(later));
          else toast.done(words.saved);
          onClose();
        },
      },
    );
  const details = save.error instanceof ApiError ? problemsIn(save.error) : [];
  return (
    <Dialog open onClose={onClose} title={words.reviewTitle} body={words.reviewBody} wide>
      <Diff before={file.text} after={text} />
      {save.error != null && <Problem error={save.error} title={common.errors.title} />}
      {details.length > 0 && (
        <ul className="text-small text-bad">
          {details.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
      <DialogActions>
        <Button onClick={onClose}>{common.actions.cancel}</Button>
        <Button look="solid" busy={save.isPending} onClick={go}>
          {common.actions.save}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** What an error says of single lines, where it does. */
function problemsIn(error: ApiError): string[] {
  const list = (error.details as { problems?: Wrong[] } | undefined)?.problems;
  return Array.isArray(list) ? list.map((one) => markOf(one).text) : [];
}
