import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import type { Key, Me } from "@/api/types";
import { FakeApi, pageOf, Refusal } from "@/fixtures/fake";
import { person } from "@/fixtures/people";
import { renderWith } from "../../../test/render";
import { Keys } from "./keys";

const key = (more: Partial<Key> = {}): Key => ({
  id: "key_1",
  workspace: "wsp_1",
  user: "usr_1",
  name: "deploy script",
  hint: "fx_7Kq2…",
  scopes: ["runs:read"],
  allow: [],
  created_at: "2026-11-01T00:00:00Z",
  ...more,
});

function api(keys: Key[]) {
  const bodies: Record<string, unknown>[] = [];
  const fake = new FakeApi()
    .on("get", "/api/v1/keys", () => pageOf(keys))
    .on("post", "/api/v1/keys", ({ body }) => {
      bodies.push(body);
      const made = key({ id: "key_2", name: String(body.name) });
      keys.push(made);
      return { ...made, key: "fx_the_whole_secret" };
    })
    .on("post", "/api/v1/keys/{key}/rotate", ({ body, path }) => {
      bodies.push({ ...body, ...path });
      return { ...key(), key: "fx_the_next_secret" };
    })
    .on("delete", "/api/v1/keys/{key}", ({ path }) => {
      keys.splice(
        keys.findIndex((one) => one.id === path.key),
        1,
      );
      return undefined;
    });
  return { fake, bodies };
}

function Page({ me }: { me: Me }) {
  const [creating, setCreating] = useState(false);
  return (
    <Keys
      me={me}
      mayChange={me.permissions.includes("keys:write")}
      creating={creating}
      onCreating={setCreating}
    />
  );
}

describe("the keys page", () => {
  it("shows a new key once, with a way to copy it", async () => {
    const { fake, bodies } = api([]);
    renderWith(fake, <Page me={person("admin")} />);
    expect(await screen.findByText("No keys yet")).toBeTruthy();
    await userEvent.click(screen.getAllByRole("button", { name: "Create key" })[0] as HTMLElement);
    const form = await screen.findByRole("dialog");
    await userEvent.type(within(form).getByLabelText("Name"), "CI job");
    await userEvent.click(within(form).getByRole("radio", { name: "Only these" }));
    await userEvent.click(within(form).getByRole("checkbox", { name: "runs:read" }));
    await userEvent.click(within(form).getByRole("button", { name: "Create key" }));
    expect(await screen.findByText("fx_the_whole_secret")).toBeTruthy();
    expect(bodies[0]).toMatchObject({ name: "CI job", scopes: ["runs:read"] });
    expect(Date.parse(String(bodies[0]?.expires_at))).toBeGreaterThan(Date.now() + 89 * 86_400_000);
    await userEvent.click(screen.getByRole("button", { name: "I copied it" }));
    await waitFor(() => expect(screen.queryByText("fx_the_whole_secret")).toBeNull());
    expect(await screen.findByText("CI job")).toBeTruthy();
  });

  it("rotates with an overlap and shows the new key", async () => {
    const { fake, bodies } = api([key()]);
    renderWith(fake, <Page me={person("admin")} />);
    await userEvent.click(await screen.findByRole("button", { name: "More actions: deploy script" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Rotate" }));
    const form = await screen.findByRole("dialog");
    await userEvent.selectOptions(within(form).getByLabelText("Old key works for"), "1 hour");
    await userEvent.click(within(form).getByRole("button", { name: "Rotate" }));
    expect(await screen.findByText("fx_the_next_secret")).toBeTruthy();
    expect(bodies[0]).toEqual({ overlap: "1h", key: "key_1" });
  });

  it("asks before it revokes", async () => {
    const { fake } = api([key()]);
    renderWith(fake, <Page me={person("admin")} />);
    await userEvent.click(await screen.findByRole("button", { name: "More actions: deploy script" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Revoke" }));
    await userEvent.click(await screen.findByRole("button", { name: "Revoke" }));
    expect(await screen.findByText("No keys yet")).toBeTruthy();
  });

  it("has nothing to press for people who may only read", async () => {
    const { fake } = api([key({ expires_at: "2020-01-01T00:00:00Z" })]);
    renderWith(fake, <Page me={person("viewer")} />);
    expect(await screen.findByText("deploy script")).toBeTruthy();
    expect(screen.getByText("Expired")).toBeTruthy();
    expect(screen.queryAllByRole("button")).toEqual([]);
  });

  it("says why it could not load, and tries again", async () => {
    const { fake } = api([key()]);
    let down = true;
    fake.on("get", "/api/v1/keys", () => {
      if (down)
        throw new Refusal(503, {
          code: "draining",
          message: "The server is shutting down.",
          hint: "Try again in a moment.",
        });
      return pageOf([key()]);
    });
    renderWith(fake, <Page me={person("admin")} />);
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Try again in a moment.");
    expect(alert.textContent).toContain("req_01FAKE");
    down = false;
    await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("deploy script")).toBeTruthy();
  });
});
