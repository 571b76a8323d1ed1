import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Device, Me, Session } from "@/api/types";
import { browserName } from "@/lib/agent";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { minPassword } from "@/lib/password";
import { Pill, Time } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Field, Input } from "@/ui/field";
import { Section } from "@/ui/page";
import { Empty, Problem, View } from "@/ui/states";
import { Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { NewPassword, Password } from "./password";
import {
  devicesQuery,
  sessionsQuery,
  useChangePassword,
  useEndSession,
  useForgetDevice,
  useSaveProfile,
} from "./queries";

const words = settings.account;

export function Profile({ me }: { me: Me }) {
  const [name, setName] = useState(me.user.name);
  const [email, setEmail] = useState(me.user.email ?? "");
  const save = useSaveProfile();
  const changed = name !== me.user.name || email !== (me.user.email ?? "");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const saved = await save.mutateAsync({ name: name.trim(), email: email.trim() }).catch(() => undefined);
    if (saved) toast.done(words.saved);
  };
  return (
    <Section title={words.profile} note={me.user.user}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={words.name}>
            {(control) => (
              <Input
                required
                autoComplete="name"
                value={name}
                onChange={(event) => setName(event.target.value)}
                {...control}
              />
            )}
          </Field>
          <Field label={words.email} help={words.emailHelp} optional>
            {(control) => (
              <Input
                type="email"
                autoComplete="email"
                value={email}
                onChange={(event) => setEmail(event.target.value)}
                {...control}
              />
            )}
          </Field>
        </div>
        {save.error && <Problem error={save.error} title={common.errors.title} />}
        <div>
          <Button type="submit" look="solid" busy={save.isPending} disabled={!changed || name.trim() === ""}>
            {common.actions.save}
          </Button>
        </div>
      </form>
    </Section>
  );
}

export function ChangePassword({ me }: { me: Me }) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useChangePassword();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const done = await change.mutateAsync({ current, new: next }).then(
      () => true,
      () => false,
    );
    if (!done) return;
    toast.done(words.changed);
    setCurrent("");
    setNext("");
  };
  return (
    <Section title={words.password}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <input
          type="text"
          className="sr-only"
          tabIndex={-1}
          aria-hidden="true"
          autoComplete="username"
          value={me.user.user}
          readOnly
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Password
            label={words.current}
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
          <NewPassword
            label={words.next}
            value={next}
            personal={[me.user.name, me.user.user]}
            onChange={(event) => setNext(event.target.value)}
          />
        </div>
        {change.error && <Problem error={change.error} title={common.errors.title} />}
        <div>
          <Button
            type="submit"
            busy={change.isPending}
            disabled={current === "" || next.length < minPassword}
          >
            {words.change}
          </Button>
        </div>
      </form>
    </Section>
  );
}

export function Sessions() {
  const query = useQuery(sessionsQuery);
  const end = useEndSession();
  const stop = (session: Session) =>
    end.mutate(session.id, {
      onSuccess: () => toast.done(words.endSessionDone),
      onError: (error) => toast.failed(error, common.errors.title),
    });
  return (
    <Section title={words.sessions} flush>
      <View query={query}>
        {(page) => (
          <Table
            label={words.sessions}
            rows={page.data}
            id={(session) => session.id}
            columns={[
              {
                head: words.browser,
                cell: (session) => browserName(session.agent) || words.unknownBrowser,
              },
              { head: words.from, cell: (session) => <span className="mono">{session.ip}</span> },
              { head: words.lastSeen, cell: (session) => <Time at={session.seen_at} /> },
              { head: words.created, cell: (session) => <Time at={session.created_at} /> },
              {
                head: common.actions.more,
                hideHead: true,
                right: true,
                cell: (session) =>
                  session.current ? (
                    <Pill tone="ok">{words.thisDevice}</Pill>
                  ) : (
                    <Button look="ghost" onClick={() => stop(session)}>
                      {words.endSession}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </View>
    </Section>
  );
}

export function Devices() {
  const query = useQuery(devicesQuery);
  const forget = useForgetDevice();
  const drop = (device: Device) =>
    forget.mutate(device.id, {
      onSuccess: () => toast.done(words.forgotten),
      onError: (error) => toast.failed(error, common.errors.title),
    });
  return (
    <Section title={words.devices} flush>
      <View
        query={query}
        rows={2}
        isEmpty={(page) => page.data.length === 0}
        empty={<Empty title={words.devicesNone} body={words.devicesNoneBody} />}
      >
        {(page) => (
          <Table
            label={words.devices}
            rows={page.data}
            id={(device) => device.id}
            columns={[
              { head: words.device, cell: (device) => browserName(device.agent) || words.unknownBrowser },
              { head: words.lastSeen, cell: (device) => <Time at={device.seen_at} /> },
              { head: words.expires, cell: (device) => <Time at={device.expires_at} /> },
              {
                head: common.actions.more,
                hideHead: true,
                right: true,
                cell: (device) => (
                  <Button look="ghost" onClick={() => drop(device)}>
                    {words.forget}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </View>
    </Section>
  );
}
