import { useQuery } from "@tanstack/react-query";
import { Ellipsis, UserPlus } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { Me, Role, User } from "@/api/types";
import { count } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { minPassword } from "@/lib/password";
import { Avatar, Pill, Time } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Field, Input, Select } from "@/ui/field";
import { Menu, MenuItem } from "@/ui/menu";
import { Section } from "@/ui/page";
import { useRemoval } from "@/ui/removal";
import { Problem, View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { NewPassword } from "./password";
import { useCreateUser, useRemoveUser, useResetFactor, usersQuery, useSaveUser } from "./queries";

const words = settings.users;
const roles = Object.entries(common.roles).map(([value, label]) => ({ value, label }));

/** People of this workspace. Nobody can lock themselves out: the own row has no actions. */
export function Users({ me, mayChange }: { me: Me; mayChange: boolean }) {
  const query = useQuery(usersQuery);
  const [adding, setAdding] = useState(false);
  const remove = useRemoveUser();
  const [ask, dialog] = useRemoval<User>({
    title: (user) => words.removeTitle(user.name || user.user),
    body: words.removeBody,
    action: words.remove,
    done: words.removed,
    remove: (user) => remove.mutateAsync(user.id),
  });
  const reset = useResetFactor();
  const [askTotp, totpDialog] = useRemoval<User>({
    title: (user) => words.resetTotpTitle(user.name || user.user),
    body: words.resetTotpBody,
    action: words.resetTotp,
    done: words.reset,
    remove: (user) => reset.mutateAsync({ user: user.id, factor: "totp" }),
  });
  const [askPasskeys, passkeysDialog] = useRemoval<User>({
    title: (user) => words.resetPasskeysTitle(user.name || user.user),
    body: words.resetPasskeysBody,
    action: words.resetPasskeys,
    done: words.reset,
    remove: (user) => reset.mutateAsync({ user: user.id, factor: "passkeys" }),
  });
  const save = useSaveUser();

  const change = (id: string, body: { role: Role }) =>
    save.mutate(
      { id, ...body },
      {
        onSuccess: () => toast.done(words.saved),
        onError: (error) => toast.failed(error, common.errors.title),
      },
    );

  const columns: Column<User>[] = [
    {
      head: words.user,
      cell: (user) => (
        <span className="flex min-w-0 items-center gap-2.5">
          <Avatar name={user.name || user.user} />
          <span className="trunc font-medium">{user.name || user.user}</span>
          <span className="text-fg-3">{user.id === me.user.id ? words.you : user.user}</span>
        </span>
      ),
    },
    {
      head: words.role,
      cell: (user) =>
        mayChange && user.id !== me.user.id ? (
          <Select
            aria-label={words.role}
            className="w-[124px]"
            options={roles}
            value={user.role}
            onChange={(event) => change(user.id, { role: event.target.value as Role })}
          />
        ) : (
          <Pill>{common.roles[user.role] ?? user.role}</Pill>
        ),
    },
    {
      head: words.twoStep,
      cell: (user) =>
        user.totp ? <Pill tone="ok">{words.onOff.on}</Pill> : <Pill tone="line">{words.onOff.off}</Pill>,
    },
    { head: words.passkeys, right: true, cell: (user) => count(user.passkeys) },
    { head: words.added, cell: (user) => <Time at={user.created_at} className="text-fg-3" /> },
  ];
  if (mayChange) {
    columns.push({
      head: common.actions.more,
      hideHead: true,
      right: true,
      cell: (user) =>
        user.id !== me.user.id && (
          <Menu
            align="end"
            trigger={
              <IconButton label={`${common.actions.more}: ${user.name || user.user}`}>
                <Ellipsis aria-hidden="true" />
              </IconButton>
            }
          >
            {user.totp && <MenuItem onSelect={() => askTotp(user)}>{words.resetTotp}</MenuItem>}
            {user.passkeys > 0 && (
              <MenuItem onSelect={() => askPasskeys(user)}>{words.resetPasskeys}</MenuItem>
            )}
            <MenuItem bad onSelect={() => ask(user)}>
              {words.remove}
            </MenuItem>
          </Menu>
        ),
    });
  }

  return (
    <Section
      title={settings.pages.users}
      flush
      actions={
        mayChange && (
          <Button look="solid" onClick={() => setAdding(true)}>
            <UserPlus aria-hidden="true" />
            {words.add}
          </Button>
        )
      }
    >
      <View query={query}>
        {(page) => (
          <Table label={settings.pages.users} rows={page.data} id={(user) => user.id} columns={columns} />
        )}
      </View>
      {adding && <AddUser onClose={() => setAdding(false)} />}
      {dialog}
      {totpDialog}
      {passkeysDialog}
    </Section>
  );
}

function AddUser({ onClose }: { onClose: () => void }) {
  const [user, setUser] = useState("");
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState<Role>("operator");
  const create = useCreateUser();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { user: user.trim(), password, role, ...(name.trim() ? { name: name.trim() } : {}) };
    const made = await create.mutateAsync(body).catch(() => undefined);
    if (!made) return;
    toast.done(words.created);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.add}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={words.user}>
            {(control) => (
              <Input
                autoFocus
                required
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                value={user}
                onChange={(event) => setUser(event.target.value)}
                {...control}
              />
            )}
          </Field>
          <Field label={words.name} optional>
            {(control) => (
              <Input
                autoComplete="off"
                value={name}
                onChange={(event) => setName(event.target.value)}
                {...control}
              />
            )}
          </Field>
        </div>
        <Field label={words.role} help={words.roleHelp[role]}>
          {(control) => (
            <Select
              options={roles}
              value={role}
              onChange={(event) => setRole(event.target.value as Role)}
              {...control}
            />
          )}
        </Field>
        <NewPassword
          label={words.password}
          value={password}
          personal={[user, name]}
          onChange={(event) => setPassword(event.target.value)}
        />
        <p className="text-small text-fg-3">{words.passwordHelp}</p>
        {create.error && <Problem error={create.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button
            type="submit"
            look="solid"
            busy={create.isPending}
            disabled={user.trim() === "" || password.length < minPassword}
          >
            {words.add}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
