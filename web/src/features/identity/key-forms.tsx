import { type FormEvent, useState } from "react";
import type { Key, KeyCreated, Me, NewKey } from "@/api/types";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Checkbox, Field, Input, Select, TextArea } from "@/ui/field";
import { Segmented } from "@/ui/segmented";
import { Problem } from "@/ui/states";
import { useCreateKey, useRotateKey } from "./queries";

const words = settings.keys;
const choices = (list: Record<string, string>) =>
  Object.entries(list).map(([value, label]) => ({ value, label }));

const day = 86_400_000;

export function CreateKey({
  me,
  onClose,
  onDone,
}: {
  me: Me;
  onClose: () => void;
  onDone: (made: KeyCreated) => void;
}) {
  const [name, setName] = useState("");
  const [limit, setLimit] = useState<"all" | "some">("all");
  const [scopes, setScopes] = useState<string[]>([]);
  const [days, setDays] = useState("90");
  const [ips, setIps] = useState("");
  const create = useCreateKey();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body: NewKey = { name: name.trim(), ...(limit === "some" ? { scopes } : {}) };
    if (days !== "0") body.expires_at = new Date(Date.now() + Number(days) * day).toISOString();
    const allowed = ips.split(/[\s,]+/).filter(Boolean);
    if (allowed.length > 0) body.allow = allowed;
    const made = await create.mutateAsync(body).catch(() => undefined);
    if (made) onDone(made);
  };
  const toggle = (scope: string, on: boolean) =>
    setScopes(on ? [...scopes, scope] : scopes.filter((one) => one !== scope));

  return (
    <Dialog open onClose={onClose} title={words.create}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <Field label={words.name} help={words.nameHelp}>
          {(control) => (
            <Input
              autoFocus
              required
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
              {...control}
            />
          )}
        </Field>
        <fieldset className="field">
          <legend className="lab">{words.scopes}</legend>
          <div>
            <Segmented
              label={words.scopes}
              value={limit}
              onChange={setLimit}
              options={[
                { value: "all", label: words.allScopes },
                { value: "some", label: words.someScopes },
              ]}
            />
          </div>
          {limit === "some" && (
            <div className="well grid max-h-[180px] gap-x-4 overflow-y-auto p-3 sm:grid-cols-2">
              {[...me.permissions].sort().map((scope) => (
                <Checkbox
                  key={scope}
                  label={<span className="mono">{scope}</span>}
                  checked={scopes.includes(scope)}
                  onChange={(event) => toggle(scope, event.target.checked)}
                />
              ))}
            </div>
          )}
          <span className="help">{words.scopesHelp}</span>
        </fieldset>
        <Field label={words.expiry}>
          {(control) => (
            <Select
              options={choices(words.expiries)}
              value={days}
              onChange={(event) => setDays(event.target.value)}
              {...control}
            />
          )}
        </Field>
        <Field label={words.ips} help={words.ipsHelp} optional>
          {(control) => (
            <TextArea
              rows={2}
              className="mono"
              spellCheck={false}
              value={ips}
              onChange={(event) => setIps(event.target.value)}
              {...control}
            />
          )}
        </Field>
        {create.error && <Problem error={create.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button
            type="submit"
            look="solid"
            busy={create.isPending}
            disabled={name.trim() === "" || (limit === "some" && scopes.length === 0)}
          >
            {words.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

export function RotateKey({
  item,
  onClose,
  onDone,
}: {
  item: Key;
  onClose: () => void;
  onDone: (made: KeyCreated) => void;
}) {
  const [overlap, setOverlap] = useState("24h");
  const rotate = useRotateKey();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const made = await rotate.mutateAsync({ id: item.id, overlap }).catch(() => undefined);
    if (made) onDone(made);
  };
  return (
    <Dialog open onClose={onClose} title={words.rotateTitle(item.name)} body={words.rotateBody}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <Field label={words.overlap}>
          {(control) => (
            <Select
              options={choices(words.overlaps)}
              value={overlap}
              onChange={(event) => setOverlap(event.target.value)}
              {...control}
            />
          )}
        </Field>
        {rotate.error && <Problem error={rotate.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={rotate.isPending}>
            {words.rotate}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
