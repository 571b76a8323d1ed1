import { useQuery } from "@tanstack/react-query";
import { Ellipsis, Plus } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { Me, Workspace } from "@/api/types";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { Pill, Time } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Confirm, Dialog, DialogActions } from "@/ui/dialog";
import { Field, Input } from "@/ui/field";
import { Menu, MenuItem } from "@/ui/menu";
import { Section } from "@/ui/page";
import { Empty, Problem, View } from "@/ui/states";
import { Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { useCreateWorkspace, useDeleteWorkspace, useRenameWorkspace, workspacesQuery } from "./queries";

const words = settings.workspaces;

export function Workspaces({
  me,
  mayChange,
  onSwitch,
}: {
  me: Me;
  mayChange: boolean;
  onSwitch: (id: string) => void;
}) {
  const query = useQuery(workspacesQuery);
  const [editing, setEditing] = useState<Workspace | "new">();
  const [deleting, setDeleting] = useState<Workspace>();
  return (
    <Section
      title={settings.pages.workspaces}
      flush
      actions={
        mayChange && (
          <Button look="solid" onClick={() => setEditing("new")}>
            <Plus aria-hidden="true" />
            {words.create}
          </Button>
        )
      }
    >
      <View query={query} isEmpty={(page) => page.data.length === 0} empty={<Empty title={words.empty} />}>
        {(page) => (
          <Table
            label={settings.pages.workspaces}
            rows={page.data}
            id={(workspace) => workspace.id}
            columns={[
              {
                head: words.name,
                cell: (workspace) => (
                  <span className="flex items-center gap-2">
                    <span className="font-medium">{workspace.name}</span>
                    {workspace.id === me.workspace.id && <Pill tone="ok">{words.current}</Pill>}
                  </span>
                ),
              },
              {
                head: words.created,
                cell: (workspace) => <Time at={workspace.created_at} className="text-fg-3" />,
              },
              {
                head: common.actions.more,
                hideHead: true,
                right: true,
                cell: (workspace) => (
                  <RowMenu
                    current={workspace.id === me.workspace.id}
                    mayChange={mayChange}
                    onSwitch={() => onSwitch(workspace.id)}
                    onRename={() => setEditing(workspace)}
                    onDelete={() => setDeleting(workspace)}
                  />
                ),
              },
            ]}
          />
        )}
      </View>
      {editing && (
        <NameWorkspace item={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
      {deleting && <DeleteWorkspace item={deleting} onClose={() => setDeleting(undefined)} />}
    </Section>
  );
}

function RowMenu({
  current,
  mayChange,
  onSwitch,
  onRename,
  onDelete,
}: {
  current: boolean;
  mayChange: boolean;
  onSwitch: () => void;
  onRename: () => void;
  onDelete: () => void;
}) {
  if (current && !mayChange) return null;
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label={common.actions.more}>
          <Ellipsis aria-hidden="true" />
        </IconButton>
      }
    >
      {!current && <MenuItem onSelect={onSwitch}>{words.switch}</MenuItem>}
      {mayChange && <MenuItem onSelect={onRename}>{common.actions.rename}</MenuItem>}
      {mayChange && !current && (
        <MenuItem bad onSelect={onDelete}>
          {common.actions.delete}
        </MenuItem>
      )}
    </Menu>
  );
}

function NameWorkspace({ item, onClose }: { item: Workspace | undefined; onClose: () => void }) {
  const [name, setName] = useState(item?.name ?? "");
  const create = useCreateWorkspace();
  const rename = useRenameWorkspace();
  const error = create.error ?? rename.error;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const change = item
      ? rename.mutateAsync({ id: item.id, name: name.trim() })
      : create.mutateAsync({ name: name.trim() });
    const saved = await change.catch(() => undefined);
    if (!saved) return;
    if (item) toast.done(words.renamed);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={item ? common.actions.rename : words.create}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <Field label={words.name}>
          {(control) => (
            <Input
              autoFocus
              required
              value={name}
              onChange={(event) => setName(event.target.value)}
              {...control}
            />
          )}
        </Field>
        {error && <Problem error={error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button
            type="submit"
            look="solid"
            busy={create.isPending || rename.isPending}
            disabled={name.trim() === ""}
          >
            {item ? common.actions.save : words.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function DeleteWorkspace({ item, onClose }: { item: Workspace; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const remove = useDeleteWorkspace();
  return (
    <Confirm
      open
      onClose={onClose}
      title={words.deleteTitle(item.name)}
      body={words.deleteBody}
      action={common.actions.delete}
      ready={typed === item.name}
      onConfirm={async () => {
        await remove.mutateAsync(item.id);
        toast.done(words.deleted);
      }}
    >
      <Field label={words.deleteConfirm(item.name)}>
        {(control) => (
          <Input
            autoFocus
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            {...control}
          />
        )}
      </Field>
    </Confirm>
  );
}
