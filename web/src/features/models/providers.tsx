import { useQuery } from "@tanstack/react-query";
import { Ellipsis, Plus } from "lucide-react";
import { useState } from "react";
import type { Provider, ProviderAccount } from "@/api/types";
import { common } from "@/lib/messages/common";
import { models as words } from "@/lib/messages/models";
import { ago } from "@/lib/time";
import { Pill, Time, type Tone } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Menu, MenuItem } from "@/ui/menu";
import { Section } from "@/ui/page";
import { useRemoval } from "@/ui/removal";
import { View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { KeyForm, reasonOf } from "./key-form";
import { catalogueQuery, providersQuery, useRemoveAccount, useTest, useTurnAccount } from "./queries";
import { SignIn } from "./sign-in";
import { PickSource } from "./source";

type Row = { provider: Provider; account: ProviderAccount | undefined };

const tones: Record<string, Tone> = {
  ready: "ok",
  resting: "warn",
  signed_out: "bad",
  expired: "bad",
  missing: "line",
  off: "line",
};

const codeProvider = "copilot";

/** Who can be asked, with which account, and what to do when one cannot. */
export function Providers({ mayChange }: { mayChange: boolean }) {
  const query = useQuery(providersQuery);
  const [adding, setAdding] = useState(false);
  const [looking, setLooking] = useState(false);
  const [signing, setSigning] = useState<Provider>();
  const remove = useRemoveAccount();
  const [ask, dialog] = useRemoval<Row>({
    title: ({ account, provider }) => words.removeTitle(account?.name ?? "", provider.title),
    body: words.removeBody,
    action: words.remove,
    done: words.removed,
    remove: async ({ provider, account }) => {
      if (account?.id) await remove.mutateAsync({ provider: provider.provider, account: account.id });
    },
  });
  // One of the providers lets people sign in with a code; the others take keys or the sign-ins of their programs.
  const byCode = query.data?.data.find((one) => one.provider === codeProvider);
  const add = mayChange && (
    <>
      <Button onClick={() => setLooking(true)}>{words.look}</Button>
      {byCode && <Button onClick={() => setSigning(byCode)}>{words.signIn.button(byCode.title)}</Button>}
      <Button look="solid" onClick={() => setAdding(true)}>
        <Plus aria-hidden="true" />
        {words.add}
      </Button>
    </>
  );
  return (
    <Section title={words.providers} note={words.providersNote} flush actions={add}>
      <View query={query}>
        {(page) => (
          <>
            <Table
              label={words.providers}
              rows={rowsOf(page.data)}
              id={({ provider, account }) => `${provider.provider}/${account?.id ?? account?.name ?? ""}`}
              columns={columnsOf(mayChange, ask)}
            />
            {adding && (
              <Dialog open onClose={() => setAdding(false)} title={words.addTitle} body={words.addBody}>
                <KeyForm
                  named
                  providers={page.data}
                  onDone={() => {
                    setAdding(false);
                    toast.done(words.saved);
                  }}
                >
                  {(busy) => (
                    <DialogActions>
                      <Button onClick={() => setAdding(false)}>{common.actions.cancel}</Button>
                      <Button type="submit" look="solid" busy={busy}>
                        {busy ? words.testing : words.save}
                      </Button>
                    </DialogActions>
                  )}
                </KeyForm>
              </Dialog>
            )}
          </>
        )}
      </View>
      {looking && <Look onClose={() => setLooking(false)} />}
      {signing && <SignIn provider={signing} onClose={() => setSigning(undefined)} />}
      {dialog}
    </Section>
  );
}

/** The choices of set-up, once more. */
function Look({ onClose }: { onClose: () => void }) {
  const query = useQuery(catalogueQuery);
  return (
    <Dialog open onClose={onClose} title={words.lookTitle}>
      <View query={query}>
        {(page) => (
          <PickSource
            current={page.data.find((one) => one.default)?.id ?? ""}
            onDone={(source) => {
              onClose();
              toast.done(words.connected(source));
            }}
          />
        )}
      </View>
    </Dialog>
  );
}

/** One row for each account; a provider that is set up without one has a row of its own. */
export function rowsOf(providers: readonly Provider[]): Row[] {
  return providers
    .filter((provider) => provider.configured)
    .flatMap((provider): Row[] =>
      provider.accounts.length > 0
        ? provider.accounts.map((account) => ({ provider, account }))
        : [{ provider, account: undefined }],
    );
}

function columnsOf(mayChange: boolean, remove: (row: Row) => void): Column<Row>[] {
  const columns: Column<Row>[] = [
    { head: words.provider, cell: ({ provider }) => <span className="font-medium">{provider.title}</span> },
    {
      head: words.account,
      cell: ({ provider, account }) => account?.name ?? (provider.keyless ? "" : words.none),
    },
    { head: words.kept, cell: ({ account }) => <Kept account={account} /> },
    { head: words.state, cell: (row) => <State row={row} /> },
    { head: words.lastUsed, cell: ({ account }) => <Time at={account?.last_used} className="text-fg-3" /> },
  ];
  if (!mayChange) return columns;
  return [
    ...columns,
    {
      head: common.actions.more,
      hideHead: true,
      right: true,
      cell: (row) => row.provider.state !== "off" && <Actions row={row} onRemove={() => remove(row)} />,
    },
  ];
}

function Kept({ account }: { account: ProviderAccount | undefined }) {
  if (!account) return null;
  return (
    <span className="flex flex-col">
      {words.sources[account.source]}
      {account.where && <span className="mono text-small text-fg-3">{account.where}</span>}
    </span>
  );
}

function State({ row: { provider, account } }: { row: Row }) {
  const state = provider.state === "off" ? "off" : (account?.state ?? provider.state);
  const note = provider.left_alone_until
    ? words.leftAlone(ago(provider.left_alone_until))
    : account?.reason || (state === "ready" ? "" : provider.hint);
  return (
    <span className="flex flex-col items-start gap-0.5">
      <Pill tone={tones[state] ?? "plain"}>{words.states[state]}</Pill>
      {note && <span className="text-small text-fg-3">{note}</span>}
      {account?.until && <span className="text-small text-fg-3">{words.until(ago(account.until))}</span>}
    </span>
  );
}

function Actions({ row: { provider, account }, onRemove }: { row: Row; onRemove: () => void }) {
  const test = useTest();
  const turn = useTurnAccount();
  const run = async () => {
    try {
      const result = await test.mutateAsync({ provider: provider.provider, name: account?.name ?? "" });
      if (result.ok) toast.done(words.worked(result.message, result.models));
      else toast.failed([result.message, result.hint].filter(Boolean).join(" "), words.testFailed);
    } catch (error) {
      toast.failed(reasonOf(error), words.testFailed);
    }
  };
  const ref = account?.id ? { provider: provider.provider, account: account.id } : undefined;
  const off = account?.state === "off";
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label={words.more(account?.name ?? words.none, provider.title)} busy={test.isPending}>
          <Ellipsis aria-hidden="true" />
        </IconButton>
      }
    >
      {!off && <MenuItem onSelect={() => void run()}>{words.test}</MenuItem>}
      {ref && (
        <MenuItem onSelect={() => turn.mutate({ ...ref, enabled: off })}>
          {off ? words.turnOn : words.turnOff}
        </MenuItem>
      )}
      {ref && (
        <MenuItem bad onSelect={onRemove}>
          {words.remove}
        </MenuItem>
      )}
    </Menu>
  );
}
