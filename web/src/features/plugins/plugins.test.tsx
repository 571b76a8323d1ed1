import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { FakeApi, Refusal } from "@/fixtures/fake";
import { renderWith } from "../../../test/render";
import { Plugins } from "./plugins";
import type { Plugin, Setting } from "./queries";
import { changeOf, typedOf } from "./values";

const house: Plugin = {
  name: "house-rules",
  version: "1.0.0",
  description: "Keeps agents to the rules of the house.",
  author: "Vera Lind",
  folder: "/data/plugins/house-rules",
  source: "folder",
  state: "disabled",
  healthy: true,
  digest: "sha256:one",
  files: 5,
  size: 1200,
  changes: [],
  powers: [
    { kind: "hook", text: "Runs ./check.sh in the sandbox before tool calls.", risk: "medium" },
    { kind: "agent", text: "Adds the agent rule-keeper.", risk: "low" },
  ],
  contributes: {
    mcp_servers: [],
    agents: [{ name: "rule-keeper", description: "Knows the rules.", tools: [] }],
    skills: [],
    workflows: [{ name: "nightly", file: "workflows/nightly.yaml" }],
    hooks: [],
  },
  settings: [
    {
      name: "forbidden",
      type: "list",
      title: "Forbidden words",
      required: false,
      value: ["deploy"],
      set: false,
    },
    { name: "token", type: "secret", title: "Token", required: false, set: true },
  ],
  problems: [],
  failures: [],
};

function server(first: Plugin[], may = true) {
  const fake = new FakeApi();
  let list = first;
  const bodies: Record<string, unknown>[] = [];
  const change = (name: string, to: Partial<Plugin>): Plugin => {
    list = list.map((p) => (p.name === name ? { ...p, ...to } : p));
    const found = list.find((p) => p.name === name);
    if (!found) throw new Refusal(404, { code: "plugin_not_found", message: "There is no such plugin." });
    return found;
  };
  fake.on("get", "/api/v1/plugins", () => ({ data: list, has_more: false }));
  fake.on("get", "/api/v1/plugins/removed", () => ({ data: [], has_more: false }));
  fake.on("post", "/api/v1/plugins/{plugin}/enable", ({ path, body }) => {
    bodies.push(body);
    return change(path.plugin ?? "", { state: "enabled", changes: [] });
  });
  fake.on("post", "/api/v1/plugins/{plugin}/disable", ({ path }) =>
    change(path.plugin ?? "", { state: "disabled" }),
  );
  fake.on("patch", "/api/v1/plugins/{plugin}/settings", ({ path, body }) => {
    bodies.push(body);
    return change(path.plugin ?? "", {});
  });
  renderWith(fake, <Plugins mayWrite={may} />);
  return { fake, bodies };
}

describe("plugins", () => {
  it("say how to make one where there are none", async () => {
    server([]);
    expect(await screen.findByText("No plugins")).toBeTruthy();
    expect(screen.getByText(/fluxway plugins new/)).toBeTruthy();
    expect(screen.getByRole("button", { name: "Install a folder" })).toBeTruthy();
  });

  it("are enabled after a look at what they may do, with the digest that was shown", async () => {
    const user = userEvent.setup();
    const { bodies } = server([house]);
    await user.click(await screen.findByRole("button", { name: "Enable" }));
    const dialog = await screen.findByRole("dialog");
    expect(within(dialog).getByText(/before tool calls/)).toBeTruthy();
    expect(within(dialog).getByText("Its workflows are kept but not run yet.")).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "Enable" }));
    expect(await screen.findByText("Enabled")).toBeTruthy();
    expect(bodies).toEqual([{ digest: "sha256:one" }]);
    await user.click(screen.getByRole("button", { name: "Disable" }));
    expect(await screen.findByText("Disabled")).toBeTruthy();
  });

  it("that changed list their files and want a new consent", async () => {
    server([{ ...house, state: "changed", changes: [{ path: "check.sh", change: "changed" }] }]);
    expect(await screen.findByText("Changed, needs consent")).toBeTruthy();
    expect(screen.getByText("check.sh")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Look and enable" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Disable" })).toBeTruthy();
  });

  it("show what is wrong with them, and what failed", async () => {
    const user = userEvent.setup();
    server([
      {
        ...house,
        state: "invalid",
        problems: [
          {
            file: "plugin.yaml",
            line: 4,
            column: 1,
            key: "contributs",
            message: "is not known here",
            hint: 'Did you mean "contributes"?',
          },
        ],
      },
      {
        ...house,
        name: "slow",
        state: "enabled",
        healthy: false,
        failures: [
          {
            at: "2026-11-15T10:00:00Z",
            hook: "before_tool",
            code: "hook_timeout",
            message: "The hook did not end.",
          },
        ],
      },
    ]);
    expect(await screen.findByText("plugin.yaml:4:1")).toBeTruthy();
    expect(screen.getByText("Unhealthy")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "What failed" }));
    expect(screen.getByText("The hook did not end.")).toBeTruthy();
  });

  it("are set by a form of their settings; a stored secret stays unless another is typed", async () => {
    const user = userEvent.setup();
    const { bodies } = server([house]);
    await user.click(await screen.findByRole("button", { name: "Settings of house-rules" }));
    const words = await screen.findByLabelText(/Forbidden words/);
    await user.clear(words);
    await user.type(words, "deploy{enter}publish");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(bodies).toEqual([{ settings: { forbidden: ["deploy", "publish"] } }]));
  });

  it("have no buttons that change something for those who may only look", async () => {
    server([house], false);
    await screen.findByText("house-rules");
    expect(screen.queryByRole("button", { name: "Enable" })).toBeNull();
    expect(screen.queryByRole("button", { name: /Remove/ })).toBeNull();
    expect(screen.queryByRole("button", { name: "Install a folder" })).toBeNull();
  });

  it("say what failed and try again", async () => {
    const fake = new FakeApi();
    fake.on("get", "/api/v1/plugins", () => {
      throw new Refusal(500, { code: "internal", message: "It broke." });
    });
    fake.on("get", "/api/v1/plugins/removed", () => ({ data: [], has_more: false }));
    renderWith(fake, <Plugins mayWrite />);
    expect(await screen.findByText("It broke.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
  });
});

describe("values", () => {
  const one = (setting: Partial<Setting>): Setting => ({
    name: "x",
    type: "text",
    title: "X",
    required: false,
    set: false,
    ...setting,
  });
  it.each([
    [one({ value: "a" }), "a", undefined],
    [one({ value: "a" }), "", null],
    [one({ type: "number", value: 3 }), "4.5", 4.5],
    [one({ type: "boolean", value: true }), false, false],
    [one({ type: "list", value: ["a"] }), "a\n\n b ", ["a", "b"]],
    [one({ type: "secret", set: true }), "", undefined],
    [one({ type: "secret", set: true }), "new", "new"],
  ])("%o typed as %o", (setting, typed, want) => {
    expect(changeOf(setting, typed)).toEqual(want);
    expect(changeOf(setting, typedOf(setting))).toBeUndefined();
  });
});
