import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { FakeApi, pageOf } from "@/fixtures/fake";
import { renderWith } from "../../../test/render";
import { Notifications } from "./notifications";
import type { Subscription, Wishes } from "./queries";

const wishes: Wishes = {
  approvals: true,
  questions: true,
  finished: "never",
  budgets: true,
  hide_command: false,
  quiet: false,
  quiet_from: "22:00",
  quiet_until: "07:00",
  time_zone: "UTC",
};

function api(devices: Subscription[] = []) {
  const saved: Record<string, unknown>[] = [];
  const fake = new FakeApi()
    .on("get", "/api/v1/push/wishes", () => ({ ...wishes, ...saved.at(-1) }))
    .on("put", "/api/v1/push/wishes", ({ body }) => {
      saved.push(body);
      return body as Wishes;
    })
    .on("get", "/api/v1/push/subscriptions", () => pageOf(devices))
    .on("delete", "/api/v1/push/subscriptions/{subscription}", ({ path }) => {
      devices.splice(
        devices.findIndex((one) => one.id === path.subscription),
        1,
      );
      return undefined;
    });
  return { fake, saved };
}

function browser(permission: NotificationPermission) {
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("PushManager", class {});
  vi.stubGlobal("Notification", { permission });
  vi.stubGlobal("navigator", { ...navigator, serviceWorker: {}, userAgent: navigator.userAgent });
}

describe("the notifications page", () => {
  it("says why there are none over plain HTTP, and how to allow them when the browser blocks them", async () => {
    vi.stubGlobal("isSecureContext", false);
    const first = renderWith(api().fake, <Notifications user="usr_1" />);
    await screen.findByText(/over HTTPS and on localhost only/);
    expect(screen.queryByRole("button", { name: "Turn on" })).toBeNull();
    first.unmount();
    browser("denied");
    renderWith(api().fake, <Notifications user="usr_1" />);
    await screen.findByText(/Allow them in the settings of the page/);
    expect(screen.queryByRole("button", { name: "Turn on" })).toBeNull();
  });

  it("saves each wish at once; quiet hours begin in the zone of this device", async () => {
    browser("default");
    const { fake, saved } = api();
    renderWith(fake, <Notifications user="usr_1" />);
    await userEvent.click(await screen.findByRole("switch", { name: "Hide the command" }));
    await waitFor(() => expect(saved.at(-1)).toEqual({ ...wishes, hide_command: true }));
    await userEvent.click(screen.getByRole("switch", { name: "Quiet hours" }));
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    await waitFor(() =>
      expect(saved.at(-1)).toMatchObject({ quiet: true, hide_command: true, time_zone: zone }),
    );
    expect(await screen.findByLabelText("From")).toHaveProperty("value", "22:00");
  });

  it("lists devices with what went wrong, and removes one", async () => {
    browser("default");
    const device = {
      id: "push_1",
      name: "Pixel 9",
      service: "push.example.net",
      current: false,
      created_at: "2026-11-01T00:00:00Z",
    };
    const { fake } = api([
      { ...device, failed_at: "2026-11-02T00:00:00Z", failure: "The push service answered 503." },
    ]);
    renderWith(fake, <Notifications user="usr_1" />);
    await screen.findByText("The push service answered 503.");
    await userEvent.click(screen.getByRole("button", { name: "Remove" }));
    await screen.findByText("No device yet");
  });
});
