import { useQuery } from "@tanstack/react-query";
import { BookOpen, Plus, RotateCw, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { common } from "@/lib/messages/common";
import { memory } from "@/lib/messages/memory";
import { Pill, Spinner } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Confirm, Dialog, DialogActions } from "@/ui/dialog";
import { Checkbox, Field, Input } from "@/ui/field";
import { Section } from "@/ui/page";
import { Empty, Problem, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { type Source, settled, sourcesQuery, useAddSource, useReindex, useRemoveSource } from "./queries";

const words = memory.knowledge;

/** Documents that agents can search and cite. */
export function Knowledge({ mayWrite }: { mayWrite: boolean }) {
  const sources = useQuery(sourcesQuery);
  const reindex = useReindex();
  const remove = useRemoveSource();
  const [adding, setAdding] = useState(false);
  const [going, setGoing] = useState<Source>();
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
                <li key={source.id} className="flex items-center gap-3 border-t border-line px-4 py-2">
                  <span className="min-w-0 flex-1">
                    <span className="trunc block font-medium">{source.title}</span>
                    <span className="flex flex-wrap gap-x-3 text-small text-fg-3">
                      <span className="mono trunc">{source.location}</span>
                      <span>{words.files(source.files)}</span>
                      <span>{words.pieces(source.pieces)}</span>
                    </span>
                    {source.error && <span className="block text-small text-bad">{source.error}</span>}
                    {source.failed > 0 && (
                      <span className="block text-small text-warn">{words.failed(source.failed)}</span>
                    )}
                  </span>
                  <Pill tone={source.state === "ready" ? "ok" : source.state === "failed" ? "bad" : "run"}>
                    {!settled(source) && <Spinner />}
                    {words.states[source.state] ?? source.state}
                  </Pill>
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
                      <IconButton label={words.remove} onClick={() => setGoing(source)}>
                        <Trash2 aria-hidden="true" />
                      </IconButton>
                    </>
                  )}
                </li>
              ))}
            </ul>
          )}
        </View>
      </Section>
      {adding && <AddSource onClose={() => setAdding(false)} />}
      <Confirm
        open={going !== undefined}
        onClose={() => setGoing(undefined)}
        title={words.removeTitle(going?.title ?? "")}
        body={words.removeBody}
        action={words.remove}
        onConfirm={async () => {
          if (going) await remove.mutateAsync(going.id);
          toast.done(words.removed);
        }}
      />
    </>
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
