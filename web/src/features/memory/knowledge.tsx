import { useQuery } from "@tanstack/react-query";
import { BookOpen, Plus, RotateCw, Trash2 } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { bytes } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { memory } from "@/lib/messages/memory";
import { Pill, Spinner, type Tone } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Checkbox, Field, Input } from "@/ui/field";
import { Section } from "@/ui/page";
import { useRemoval } from "@/ui/removal";
import { Empty, Problem, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import {
  filesQuery,
  type Source,
  settled,
  sourcesQuery,
  useAddSource,
  useReindex,
  useRemoveSource,
} from "./queries";
import "./memory.css";

const words = memory.knowledge;

/** Documents that agents can search and cite. */
export function Knowledge({ mayWrite }: { mayWrite: boolean }) {
  const sources = useQuery(sourcesQuery);
  const reindex = useReindex();
  const remove = useRemoveSource();
  const [adding, setAdding] = useState(false);
  const [ask, dialog] = useRemoval<Source>({
    title: (source) => words.removeTitle(source.title),
    body: words.removeBody,
    action: words.remove,
    done: words.removed,
    remove: (source) => remove.mutateAsync(source.id),
  });
  const add = mayWrite && (
    <Button look="solid" onClick={() => setAdding(true)}>
      <Plus aria-hidden="true" />
      {words.add}
    </Button>
  );
  return (
    <>
      <Section
        title={memory.tabs.knowledge}
        actions={sources.data && sources.data.data.length > 0 && add}
        flush
      >
        <View
          query={sources}
          isEmpty={(page) => page.data.length === 0}
          empty={
            <Empty icon={<BookOpen />} title={words.empty} body={words.emptyBody}>
              {add}
            </Empty>
          }
        >
          {(page) => (
            <ul>
              {page.data.map((source) => (
                <Row key={source.id} source={source}>
                  {mayWrite && (
                    <>
                      <IconButton
                        label={words.reindex}
                        onClick={() =>
                          reindex.mutate(source.id, {
                            onError: (error) => toast.failed(error, common.errors.title),
                          })
                        }
                      >
                        <RotateCw aria-hidden="true" />
                      </IconButton>
                      <IconButton label={words.remove} onClick={() => ask(source)}>
                        <Trash2 aria-hidden="true" />
                      </IconButton>
                    </>
                  )}
                </Row>
              ))}
            </ul>
          )}
        </View>
      </Section>
      {adding && <AddSource onClose={() => setAdding(false)} />}
      {dialog}
    </>
  );
}

/** One source: how far it is read, and its files with what was wrong with some. */
function Row({ source, children }: { source: Source; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const busy = !settled(source);
  return (
    <li className="border-t border-line first:border-t-0">
      <div className="flex flex-wrap items-center gap-3 px-4 py-2">
        <span className="min-w-48 flex-1">
          <span className="trunc block font-medium">{source.title}</span>
          <span className="flex flex-wrap gap-x-3 text-small text-fg-3">
            {source.location && <span className="mono trunc">{source.location}</span>}
            <span>{busy ? words.progress(source.files) : words.files(source.files)}</span>
            <span>{words.pieces(source.pieces)}</span>
          </span>
          {source.error && <span className="block text-small text-bad">{source.error}</span>}
          {source.failed > 0 && (
            <span className="block text-small text-warn">{words.failed(source.failed)}</span>
          )}
        </span>
        <Pill tone={source.state === "ready" ? "ok" : source.state === "failed" ? "bad" : "run"}>
          {busy && <Spinner />}
          {words.states[source.state] ?? source.state}
        </Pill>
        <Button look="ghost" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.hideDetails : words.details}
        </Button>
        {children}
      </div>
      {busy && <progress className="bar-busy" aria-label={words.progress(source.files)} />}
      {open && <Files source={source} />}
    </li>
  );
}

const fileTones: Record<string, Tone> = { ready: "ok", failed: "bad", skipped: "line" };

function Files({ source }: { source: Source }) {
  const files = useQuery({ ...filesQuery(source.id), refetchInterval: settled(source) ? false : 1500 });
  const [only, setOnly] = useState(source.failed > 0);
  return (
    <div className="border-t border-line bg-sunken">
      {source.failed > 0 && (
        <div className="px-4 py-2">
          <Checkbox
            label={words.onlyFailed}
            checked={only}
            onChange={(event) => setOnly(event.target.checked)}
          />
        </div>
      )}
      <View
        query={files}
        rows={2}
        isEmpty={(page) => page.data.length === 0}
        empty={<Empty title={words.noFiles} body={words.noFilesBody} />}
      >
        {(page) => (
          <ul className="max-h-80 overflow-y-auto pb-2" aria-label={words.details}>
            {page.data
              .filter((file) => !only || file.state === "failed")
              .map((file) => (
                <li key={file.id} className="flex flex-wrap items-center gap-x-3 px-4 py-1">
                  <span className="mono trunc min-w-40 flex-1 text-small">{file.path}</span>
                  <span className="num text-small text-fg-3">{bytes(file.size)}</span>
                  <Pill tone={fileTones[file.state] ?? "run"}>
                    {words.fileStates[file.state] ?? file.state}
                  </Pill>
                  {file.error && (
                    <span className="basis-full text-small text-bad">
                      {file.error} <span className="text-fg-3">{file.hint}</span>
                    </span>
                  )}
                </li>
              ))}
          </ul>
        )}
      </View>
    </div>
  );
}

function AddSource({ onClose }: { onClose: () => void }) {
  const [location, setLocation] = useState("");
  const [watch, setWatch] = useState(true);
  const add = useAddSource();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(
      { location: location.trim(), watch },
      {
        onSuccess: () => {
          toast.done(words.added);
          onClose();
        },
      },
    );
  };
  return (
    <Dialog open onClose={onClose} title={words.addTitle} body={words.addBody}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Field label={words.location}>
          {(control) => (
            <Input
              autoFocus
              required
              className="mono"
              spellCheck={false}
              value={location}
              onChange={(event) => setLocation(event.target.value)}
              {...control}
            />
          )}
        </Field>
        <Checkbox label={words.watch} checked={watch} onChange={(event) => setWatch(event.target.checked)} />
        {add.error != null && <Problem error={add.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={add.isPending} disabled={location.trim() === ""}>
            {words.add}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
