// Plugins: a folder is installed, agreed to, set up; what fails in it is shown and disturbs nothing; then it is disabled.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answers, composer, connected, idle, open, suite } from "./kit.mjs";

const world = suite();

/** A plugin with an agent, a setting and a hook that breaks. */
function write(folder) {
  mkdirSync(folder);
  writeFileSync(
    join(folder, "plugin.yaml"),
    `name: house-rules
version: 0.1.0
description: Keeps the house in order.
settings:
  greeting: {type: text, title: Greeting, default: Hello}
contributes:
  agents: [agents.yaml]
  hooks:
    - {event: after_run, command: [./after.sh]}
`,
  );
  writeFileSync(join(folder, "agents.yaml"), "name: butler\ntitle: Butler\ndescription: Opens the door.\ninstructions: Be polite.\n");
  writeFileSync(join(folder, "after.sh"), "#!/bin/sh\necho the kettle is broken >&2\nexit 1\n");
  chmodSync(join(folder, "after.sh"), 0o755);
}

world.flow("a plugin is installed, enabled, set up, found failing, and disabled", async () => {
  const folder = join(world.server.dir, "house-rules");
  write(folder);
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/plugins");
  await page.getByRole("button", { name: "Install a folder" }).click();
  const form = page.getByRole("dialog", { name: "Install a plugin" });
  await form.getByLabel("Folder").fill(folder);
  await form.getByRole("button", { name: "Install a folder" }).click();
  const card = page.locator("[data-plugin=house-rules]");
  await card.getByText("Disabled", { exact: true }).waitFor();

  await card.getByRole("button", { name: "Enable" }).click();
  const consent = page.getByRole("dialog", { name: "Enable house-rules 0.1.0?" });
  await consent.getByText(/after\.sh/).first().waitFor();
  await consent.getByRole("button", { name: "Enable" }).click();
  await card.getByText("Enabled", { exact: true }).waitFor();

  await card.getByRole("button", { name: "Settings of house-rules" }).click();
  const settings = page.getByRole("dialog", { name: "Settings of house-rules" });
  await settings.getByLabel("Greeting").fill("Good evening");
  await settings.getByRole("button", { name: "Save" }).click();
  await settings.waitFor({ state: "detached" });
  const kept = await (await context.request.get(world.server.url("/api/v1/plugins/house-rules"))).json();
  assert.equal(kept.settings.find((one) => one.name === "greeting").value, "Good evening");

  // Its agent says where it comes from, and cannot be changed.
  await page.goto(world.server.url("/agents"));
  await page.getByRole("link", { name: /Butler/ }).getByText("From plugin house-rules").waitFor();
  await page.getByRole("link", { name: /Butler/ }).click();
  await page.getByRole("note").getByText(/comes with the plugin house-rules/).waitFor();
  assert.equal(await page.getByRole("button", { name: "Save" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Remove" }).count(), 0);

  // Its hook breaks: the chat is answered all the same, and the plugin says what failed.
  await page.goto(world.server.url("/chat"));
  await connected(page);
  await composer(page).fill("Hello");
  await composer(page).press("Enter");
  await page.waitForURL(/\/chat\/conv_/);
  await idle(page);
  await answers(page).first().waitFor();
  await page.goto(world.server.url("/plugins"));
  await card.getByText("Unhealthy").waitFor();
  await card.getByRole("button", { name: "What failed" }).click();
  await card.getByText("after_run").first().waitFor();
  await card.getByText("It printed").first().click();
  await card.getByText("the kettle is broken").first().waitFor();

  await card.getByRole("button", { name: "Disable" }).click();
  await card.getByText("Disabled", { exact: true }).waitFor();
  await page.goto(world.server.url("/agents"));
  await page.getByRole("link", { name: /Assistant/ }).first().waitFor();
  assert.equal(await page.getByRole("link", { name: /Butler/ }).count(), 0);
});
