import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Me } from "@/api/types";
import { browserName } from "@/lib/agent";
import { common } from "@/lib/messages/common";
import { passkey } from "@/lib/messages/passkey";
import { Pill, Time } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Field, Input, Switch } from "@/ui/field";
import { Section } from "@/ui/page";
import { Setting } from "@/ui/setting";
import { Empty, Problem, View } from "@/ui/states";
import { Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { Password } from "./password";
import {
  confirmationQuery,
  type Passkey,
  passkeysQuery,
  useAddPasskey,
  useRemovePasskey,
  useRenamePasskey,
  useSetConfirmation,
} from "./queries";

const words = passkey.account;
const failed = (error: unknown) => toast.failed(error, common.errors.title);

/** Passkeys of a person: made, named, removed; and what they confirm. */
export function Passkeys({ me }: { me: Me }) {
  const query = useQuery(passkeysQuery);
  const confirmation = useQuery(confirmationQuery);
  const [adding, setAdding] = useState(false);
  const [named, setNamed] = useState<Passkey>();
  const possible = confirmation.data?.possible === true;
  const here = confirmation.data?.passkeys ?? 0;
  return (
    <Section
      title={words.title}
      flush
      actions={possible && <Button onClick={() => setAdding(true)}>{words.add}</Button>}
    >
      {confirmation.data && !possible && (
        <p className="border-b border-line px-4 pb-3 text-fg-2">
          {confirmation.data.why} {confirmation.data.hint}
        </p>
      )}
      <View
        query={query}
        rows={1}
        isEmpty={(page) => page.data.length === 0}
        empty={<Empty title={words.none} body={words.noneBody} />}
      >
        {(page) => <List rows={page.data} onRename={setNamed} />}
      </View>
      {here > 0 && <Confirms on={confirmation.data?.approvals === true} />}
      {adding && (
        <Add asks={here === 0 && me.has_password !== false} me={me} onClose={() => setAdding(false)} />
      )}
      {named && <Rename one={named} onClose={() => setNamed(undefined)} />}
    </Section>
  );
}

function List({ rows, onRename }: { rows: readonly Passkey[]; onRename: (one: Passkey) => void }) {
  const remove = useRemovePasskey();
  return (
    <Table
      label={words.title}
      rows={rows}
      id={(one) => one.id}
      columns={[
        {
          head: words.passkey,
          cell: (one) => (
            <span className="flex flex-wrap items-center gap-2">
              {one.name}
              {one.synced && <Pill tone="line">{words.synced}</Pill>}
            </span>
          ),
        },
        {
          head: words.host,
          cell: (one) => (
            <span className="flex flex-wrap items-center gap-2">
              <span className="mono">{one.host}</span>
              {one.here && <Pill tone="ok">{words.here}</Pill>}
            </span>
          ),
        },
        {
          head: words.used,
          cell: (one) =>
            one.used_at ? <Time at={one.used_at} /> : <span className="text-fg-3">{words.never}</span>,
        },
        {
          head: common.actions.more,
          hideHead: true,
          right: true,
          cell: (one) => (
            <span className="flex justify-end gap-1">
              <Button look="ghost" onClick={() => onRename(one)}>
                {words.rename}
              </Button>
              <Button
                look="ghost"
                onClick={() =>
                  remove.mutate(one.id, { onSuccess: () => toast.done(words.removed), onError: failed })
                }
              >
                {words.remove}
              </Button>
            </span>
          ),
        },
      ]}
    />
  );
}

function Confirms({ on }: { on: boolean }) {
  const set = useSetConfirmation();
  return (
    <div className="border-t border-line px-4 pt-3 pb-1">
      <Setting title={words.confirm} help={words.confirmHelp}>
        <Switch
          label={words.confirm}
          checked={on}
          disabled={set.isPending}
          onChange={(event) => set.mutate(event.target.checked, { onError: failed })}
        />
      </Setting>
    </div>
  );
}

function Add({ asks, me, onClose }: { asks: boolean; me: Me; onClose: () => void }) {
  const [name, setName] = useState(browserName(navigator.userAgent));
  const [password, setPassword] = useState("");
  const add = useAddPasskey();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(
      { name: name.trim(), password },
      {
        onSuccess: () => {
          toast.done(words.added);
          onClose();
        },
      },
    );
  };
  return (
    <Dialog open onClose={onClose} title={words.add} body={words.addBody}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Name value={name} onChange={setName} />
        {asks && (
          <>
            <input
              type="text"
              className="sr-only"
              tabIndex={-1}
              aria-hidden="true"
              autoComplete="username"
              value={me.user.user}
              readOnly
            />
            <Password
              label={words.password}
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          </>
        )}
        {add.error && <Problem error={add.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button
            type="submit"
            look="solid"
            busy={add.isPending}
            disabled={name.trim() === "" || (asks && password === "")}
          >
            {words.go}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Rename({ one, onClose }: { one: Passkey; onClose: () => void }) {
  const [name, setName] = useState(one.name);
  const rename = useRenamePasskey();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate(
      { id: one.id, name: name.trim() },
      {
        onSuccess: () => {
          toast.done(words.renamed);
          onClose();
        },
      },
    );
  };
  return (
    <Dialog open onClose={onClose} title={words.rename}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Name value={name} onChange={setName} />
        {rename.error && <Problem error={rename.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={rename.isPending} disabled={name.trim() === ""}>
            {common.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Name({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  return (
    <Field label={words.name} help={words.nameHelp}>
      {(control) => (
        <Input
          autoFocus
          required
          maxLength={80}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          {...control}
        />
      )}
    </Field>
  );
}
