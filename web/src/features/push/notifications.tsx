import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "@/lib/messages/common";
import { push as words } from "@/lib/messages/push";
import { Pill, Time } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Section } from "@/ui/page";
import { Setting } from "@/ui/setting";
import { Empty, View } from "@/ui/states";
import { Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { type Ability, ability, turnOff, turnOn } from "./device";
import { removeDevice, type Subscription, subscriptionsQuery, testDevice, useDeviceChange } from "./queries";
import { WishesForm } from "./wishes";

/** What a person is told on their devices, and on which. */
export function Notifications({ user }: { user: string }) {
  return (
    <>
      <ThisDevice user={user} />
      <WishesForm />
      <Devices />
    </>
  );
}

function ThisDevice({ user }: { user: string }) {
  const query = useQuery(subscriptionsQuery);
  const [able, setAble] = useState<Ability>(ability);
  const current = query.data?.data.find((one) => one.current);
  const failed = (error: unknown) => toast.failed(error, common.errors.title);
  const on = useDeviceChange(async () => {
    const agreed = await turnOn(user);
    setAble(ability());
    if (agreed) toast.done(words.turnedOn);
  });
  const off = useDeviceChange(async (id: string) => {
    await removeDevice(id);
    toast.done(words.turnedOff);
    await turnOff();
  });
  const test = useDeviceChange(testDevice);
  const state = able === "able" ? (current ? "on" : "off") : able;
  return (
    <Section title={words.device}>
      <View query={query} rows={1}>
        {() => (
          <Setting
            title={
              <Pill tone={state === "on" ? "ok" : state === "denied" ? "warn" : "line"}>
                {words.state[state]}
              </Pill>
            }
            help={words.stateHelp[state]}
          >
            {current && (
              <div className="flex flex-wrap gap-2">
                <Button
                  busy={test.isPending}
                  onClick={() =>
                    test.mutate(current.id, { onSuccess: () => toast.done(words.tested), onError: failed })
                  }
                >
                  {words.test}
                </Button>
                <Button
                  look="ghost"
                  busy={off.isPending}
                  onClick={() => off.mutate(current.id, { onError: failed })}
                >
                  {words.turnOff}
                </Button>
              </div>
            )}
            {!current && able === "able" && (
              <Button
                look="solid"
                busy={on.isPending}
                onClick={() => on.mutate(undefined, { onError: failed })}
              >
                {words.turnOn}
              </Button>
            )}
          </Setting>
        )}
      </View>
    </Section>
  );
}

function Devices() {
  const query = useQuery(subscriptionsQuery);
  const remove = useDeviceChange(removeDevice);
  const drop = (device: Subscription) =>
    remove.mutate(device.id, {
      onSuccess: () => toast.done(words.removed),
      onError: (error) => toast.failed(error, common.errors.title),
    });
  return (
    <Section title={words.devices} flush>
      <View
        query={query}
        rows={2}
        isEmpty={(page) => page.data.length === 0}
        empty={<Empty title={words.none} body={words.noneBody} />}
      >
        {(page) => (
          <Table
            label={words.devices}
            rows={page.data}
            id={(device) => device.id}
            columns={[
              {
                head: words.name,
                cell: (device) => (
                  <span className="flex flex-wrap items-center gap-2">
                    {device.name}
                    {device.current && <Pill tone="ok">{words.device}</Pill>}
                  </span>
                ),
              },
              { head: words.service, cell: (device) => <span className="mono">{device.service}</span> },
              { head: words.last, cell: (device) => <Last device={device} /> },
              {
                head: common.actions.more,
                hideHead: true,
                right: true,
                cell: (device) => (
                  <Button look="ghost" onClick={() => drop(device)}>
                    {words.remove}
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

function Last({ device }: { device: Subscription }) {
  if (device.failed_at)
    return (
      <span className="flex flex-wrap items-center gap-2" title={device.failure}>
        <Pill tone="bad">{words.failed}</Pill>
        <Time at={device.failed_at} />
        <span className="text-small text-fg-3">{device.failure}</span>
      </span>
    );
  return device.sent_at ? <Time at={device.sent_at} /> : <span className="text-fg-3">{words.never}</span>;
}
