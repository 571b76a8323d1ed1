import { useQuery } from "@tanstack/react-query";
import { Pencil, Plus, Trash2, UserRound } from "lucide-react";
import { type FormEvent, useState } from "react";
import { words as sentence } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { memory } from "@/lib/messages/memory";
import { Time } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Field, Input, TextArea } from "@/ui/field";
import { Section } from "@/ui/page";
import { useRemoval } from "@/ui/removal";
import { Empty, Problem, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { profileQuery, useSaveProfile } from "./queries";
import { fieldText, readField } from "./value";

const words = memory.profile;

/** What agents know of the person who is signed in, field by field. */
export function ProfileView({ mayWrite }: { mayWrite: boolean }) {
  const query = useQuery(profileQuery);
  const save = useSaveProfile();
  const [editing, setEditing] = useState<{ name: string; value: unknown }>();
  const [ask, dialog] = useRemoval<string>({
    title: (name) => words.removeTitle(sentence(name)),
    body: words.removeBody,
    action: common.actions.delete,
    done: words.saved,
    remove: (name) => save.mutateAsync({ [name]: null }),
  });
  const add = mayWrite && (
    <Button onClick={() => setEditing({ name: "", value: "" })}>
      <Plus aria-hidden="true" />
      {words.add}
    </Button>
  );
  const filled = query.data && Object.keys(query.data.fields).length > 0;
  return (
    <>
      <Section title={memory.tabs.profile} note={words.note} actions={filled && add} flush>
        <View
          query={query}
          isEmpty={(profile) => Object.keys(profile.fields).length === 0}
          empty={
            <Empty icon={<UserRound />} title={words.empty} body={words.emptyBody}>
              {add}
            </Empty>
          }
        >
          {(profile) => (
            <>
              <dl>
                {Object.entries(profile.fields).map(([name, value]) => (
                  <div
                    key={name}
                    className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2 last:border-0"
                  >
                    <dt className="w-40 flex-none text-fg-3">{sentence(name)}</dt>
                    <dd className="min-w-0 flex-1 whitespace-pre-wrap break-words">{fieldText(value)}</dd>
                    {mayWrite && (
                      <dd className="flex">
                        <IconButton
                          label={words.edit(sentence(name))}
                          onClick={() => setEditing({ name, value })}
                        >
                          <Pencil aria-hidden="true" />
                        </IconButton>
                        <IconButton label={words.remove(sentence(name))} onClick={() => ask(name)}>
                          <Trash2 aria-hidden="true" />
                        </IconButton>
                      </dd>
                    )}
                  </div>
                ))}
              </dl>
              <p className="border-t border-line px-4 py-2 text-small text-fg-3">
                {words.version(profile.version)} · <Time at={profile.updated_at} />
              </p>
            </>
          )}
        </View>
      </Section>
      {editing && <Edit {...editing} onClose={() => setEditing(undefined)} />}
      {dialog}
    </>
  );
}

function Edit({ name, value, onClose }: { name: string; value: unknown; onClose: () => void }) {
  const [key, setKey] = useState(name);
  const [text, setText] = useState(() => fieldText(value));
  const save = useSaveProfile();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(
      { [key.trim()]: readField(text) },
      {
        onSuccess: () => {
          toast.done(words.saved);
          onClose();
        },
      },
    );
  };
  return (
    <Dialog open onClose={onClose} title={name ? words.editTitle(sentence(name)) : words.addTitle}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {name === "" && (
          <Field label={words.name} help={words.nameHelp}>
            {(control) => (
              <Input
                autoFocus
                required
                className="mono"
                maxLength={100}
                value={key}
                onChange={(event) => setKey(event.target.value)}
                {...control}
              />
            )}
          </Field>
        )}
        <Field label={words.value} help={words.jsonHelp}>
          {(control) => (
            <TextArea
              required
              rows={3}
              className="py-2"
              value={text}
              onChange={(event) => setText(event.target.value)}
              {...control}
            />
          )}
        </Field>
        {save.error != null && <Problem error={save.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={save.isPending}>
            {common.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
