import { useQuery } from "@tanstack/react-query";
import { Ellipsis, KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import type { Key, KeyCreated, Me } from "@/api/types";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { Pill, Time } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Once } from "@/ui/copy";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Menu, MenuItem } from "@/ui/menu";
import { Section } from "@/ui/page";
import { useRemoval } from "@/ui/removal";
import { Empty, View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { CreateKey, RotateKey } from "./key-forms";
import { keysQuery, useRevokeKey } from "./queries";

const words = settings.keys;

/** API keys: made once, shown once, rotated with an overlap, revoked at once. */
export function Keys({
  me,
  mayChange,
  creating,
  onCreating,
}: {
  me: Me;
  mayChange: boolean;
  creating: boolean;
  onCreating: (open: boolean) => void;
}) {
  const query = useQuery(keysQuery);
  const [shown, setShown] = useState<KeyCreated>();
  const [rotating, setRotating] = useState<Key>();
  const revoke = useRevokeKey();
  const [ask, dialog] = useRemoval<Key>({
    title: (key) => words.revokeTitle(key.name),
    body: words.revokeBody,
    action: words.revoke,
    done: words.revoked,
    remove: (key) => revoke.mutateAsync(key.id),
  });
  const create = mayChange && (
    <Button look="solid" onClick={() => onCreating(true)}>
      <Plus aria-hidden="true" />
      {words.create}
    </Button>
  );
  return (
    <Section title={settings.pages.keys} flush actions={create}>
      <View
        query={query}
        isEmpty={(page) => page.data.length === 0}
        empty={
          <Empty icon={<KeyRound />} title={words.empty} body={words.emptyBody}>
            {create}
          </Empty>
        }
      >
        {(page) => (
          <Table
            label={settings.pages.keys}
            rows={page.data}
            id={(key) => key.id}
            columns={columnsOf(mayChange, setRotating, ask)}
          />
        )}
      </View>
      {creating && mayChange && (
        <CreateKey
          me={me}
          onClose={() => onCreating(false)}
          onDone={(made) => {
            onCreating(false);
            setShown(made);
          }}
        />
      )}
      {rotating && (
        <RotateKey
          item={rotating}
          onClose={() => setRotating(undefined)}
          onDone={(made) => {
            setRotating(undefined);
            setShown(made);
          }}
        />
      )}
      {shown && <ShownOnce made={shown} onClose={() => setShown(undefined)} />}
      {dialog}
    </Section>
  );
}

function columnsOf(
  mayChange: boolean,
  rotate: (key: Key) => void,
  revoke: (key: Key) => void,
): Column<Key>[] {
  const columns: Column<Key>[] = [
    { head: words.name, cell: (key) => <span className="font-medium">{key.name}</span> },
    { head: words.prefix, cell: (key) => <span className="mono text-fg-2">{key.hint}</span> },
    { head: words.scopes, cell: (key) => <span title={key.scopes.join(", ")}>{scopeText(key)}</span> },
    { head: words.lastUsed, cell: (key) => <Time at={key.used_at} className="text-fg-3" /> },
    { head: words.expiry, cell: (key) => <Time at={key.expires_at} className="text-fg-3" /> },
    { head: words.state, cell: (key) => <KeyState item={key} /> },
  ];
  if (!mayChange) return columns;
  const actions: Column<Key> = {
    head: common.actions.more,
    hideHead: true,
    right: true,
    cell: (key) =>
      !key.revoked_at && (
        <Menu
          align="end"
          trigger={
            <IconButton label={`${common.actions.more}: ${key.name}`}>
              <Ellipsis aria-hidden="true" />
            </IconButton>
          }
        >
          <MenuItem onSelect={() => rotate(key)}>{words.rotate}</MenuItem>
          <MenuItem bad onSelect={() => revoke(key)}>
            {words.revoke}
          </MenuItem>
        </Menu>
      ),
  };
  return [...columns, actions];
}

function scopeText(key: Key): string {
  if (key.scopes.length === 0 || key.scopes.includes("*")) return words.everything;
  return key.scopes.length <= 2 ? key.scopes.join(", ") : words.scopeCount(key.scopes.length);
}

function KeyState({ item }: { item: Key }) {
  if (item.revoked_at) return <Pill tone="bad">{words.revokedState}</Pill>;
  if (item.expires_at && Date.parse(item.expires_at) < Date.now())
    return <Pill tone="warn">{words.expired}</Pill>;
  return <Pill tone="ok">{words.activeState}</Pill>;
}

function ShownOnce({ made, onClose }: { made: KeyCreated; onClose: () => void }) {
  return (
    <Dialog open sticky onClose={onClose} title={words.shownTitle} body={words.shownBody}>
      <Once text={made.key} label={words.copyKey} />
      <DialogActions>
        <Button look="solid" onClick={onClose}>
          {words.shownDone}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
