// Settings: keys, people, the audit log, configuration, schedules, appearance, sessions.
import assert from "node:assert/strict";
import { desktop, open, password, refused, shown, signIn, suite } from "./kit.mjs";

const world = suite();

/** Asks the API with a key and gives the status. */
async function status(key, path, method = "GET") {
  const answer = await fetch(world.server.url(path), { method, headers: { Authorization: `Bearer ${key}` } });
  await answer.body?.cancel();
  return answer.status;
}

world.flow("an API key is shown once, works, and is refused at once when revoked", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/settings/keys");
  await page.getByText("No keys yet").waitFor();
  await page.getByRole("button", { name: "Create key" }).first().click();
  const form = page.getByRole("dialog", { name: "Create key" });
  await form.getByLabel("Name").fill("deploy script");
  await form.getByRole("button", { name: "Create key" }).click();
  const once = page.getByRole("dialog", { name: "Copy your key now" });
  const key = (await once.locator("code").innerText()).trim();
  assert.match(key, /^fx_\S{20,}$/);
  await once.getByRole("button", { name: "I copied it" }).click();
  assert.equal(await page.getByText(key).count(), 0, "it is not shown again");
  assert.equal(await status(key, "/api/v1/conversations"), 200);
  const table = page.getByRole("table", { name: "API keys" });
  await table.getByText("deploy script").waitFor();

  await page.getByRole("button", { name: "More actions: deploy script" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await table.getByText("Revoked").waitFor();
  assert.equal(await status(key, "/api/v1/conversations"), 401);
});

world.flow("a viewer is added, sees everything and finds no button that changes things", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/settings/users");
  await page.getByRole("button", { name: "Add user" }).click();
  const form = page.getByRole("dialog", { name: "Add user" });
  await form.getByLabel("User", { exact: true }).fill("vera");
  await form.getByLabel(/^Name/).fill("Vera Lind");
  await form.getByLabel("Role").selectOption("viewer");
  await form.locator("input[autocomplete=new-password]").fill(password);
  await form.getByRole("button", { name: "Add user" }).click();
  await page.getByRole("table", { name: "Users and roles" }).getByText("Vera Lind").waitFor();
  // As an operator she wrote a chat once; now she may only read it.
  const hers = await world.window({ user: "vera" });
  const users = await (await context.request.get(world.server.url("/api/v1/users"))).json();
  const vera = world.server.url(`/api/v1/users/${users.data.find((one) => one.user === "vera").id}`);
  await context.request.patch(vera, { data: { role: "operator" } });
  const made = await hers.request.post(world.server.url("/api/v1/agents/assistant/chat"), { data: { message: "Hello" } });
  const { conversation } = await made.json();
  await context.request.patch(vera, { data: { role: "viewer" } });

  const view = await open(hers, world.server, "/");
  const changing = /add|create|new chat|delete|remove|revoke|rename|archive|back up|pause|resume|run again|turn on|maintenance|edit /i;
  // Pages of her own account and device are left out, and the filter of the job list changes nothing.
  for (const path of ["/", "/chat", "/chat/all", `/chat/${conversation.id}`, "/settings/users", "/settings/workspaces", "/settings/jobs", "/settings/health"]) {
    await view.goto(world.server.url(path));
    await shown(view, path);
    await view.waitForFunction(() => !document.querySelector("main [role=status][aria-label=Loading]"));
    const found = await view.locator("main button, main a.btn, main select, main textarea").evaluateAll((nodes) =>
      nodes.map((node) => `${node.tagName} ${node.getAttribute("aria-label") ?? node.textContent.trim()}`),
    );
    const bad = found.filter((name) => changing.test(name) || (/^(TEXTAREA|SELECT)/.test(name) && name !== "SELECT State"));
    assert.deepEqual(bad, [], `on ${path}`);
  }
  await view.goto(world.server.url(`/chat/${conversation.id}`));
  await view.getByText("Your role can read this chat.", { exact: false }).waitFor();
  const forced = await hers.request.post(world.server.url("/api/v1/agents/assistant/chat"), { data: { message: "x" } });
  assert.equal(forced.status(), 403, "and the server agrees");
});

world.flow("the audit log shows what was done, and its chain is whole", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/settings/audit");
  const table = page.getByRole("table", { name: "Audit log" });
  await table.getByText("user.add").first().waitFor();
  await table.getByText("key.revoke").first().waitFor();
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText(/The chain is whole\. \d+ entries checked\./).waitFor();
  await page.getByRole("textbox", { name: "Action" }).fill("key.revoke");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.waitForURL(/action=key.revoke/);
  await page.waitForFunction(() => document.querySelectorAll("table tbody tr").length === 1);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  const stream = await download.createReadStream();
  let csv = "";
  for await (const piece of stream) csv += piece;
  assert.equal(csv.trim().split("\n").length, 2, `a head and one row:\n${csv}`);
});

world.flow("configuration says where values come from, and a live change takes effect at once", async () => {
  const context = await world.window({ user: "mira", allow: [refused("4\\d\\d", /\/api\/v1\/config$/)] });
  const page = await open(context, world.server, "/settings/config");
  const table = page.getByRole("table", { name: "Configuration" });
  const listen = table.getByRole("row", { name: /^listen\b/ });
  await listen.getByText("Environment").waitFor();
  await listen.getByText("FLUXWAY_LISTEN").waitFor();
  await listen.getByText("Needs a restart").waitFor();
  const level = table.getByRole("row", { name: /^log\.level\b/ });
  await level.getByText("Default").waitFor();
  await level.getByRole("button", { name: "Edit log.level" }).click();
  const edit = page.getByRole("dialog", { name: "log.level" });
  await edit.getByLabel("Value").fill("loud");
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.getByRole("alert").waitFor();
  await edit.getByLabel("Value").fill("debug");
  const from = world.server.log.length;
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.waitFor({ state: "detached" });
  await level.getByText("File", { exact: true }).waitFor();
  await level.getByText("debug").waitFor();
  await page.reload();
  await world.server.logs(/"level":"DEBUG"/, from);
});

world.flow("an agent is asked by the clock: the schedule is made, said in words, and deleted", async () => {
  const context = await world.window({ user: "mira", allow: [refused(400)] });
  const page = await open(context, world.server, "/settings/jobs");
  await page.getByRole("button", { name: "New schedule" }).click();
  const form = page.getByRole("dialog", { name: "New schedule" });
  await form.getByLabel("Name").fill("News");
  await form.getByLabel("What it is asked").fill("What is new?");
  await form.getByLabel("Repeats").selectOption({ label: "Every week" });
  await form.getByLabel("Time zone").fill("Nowhere/City");
  await form.getByRole("button", { name: "New schedule" }).click();
  await form.getByText(/Nowhere\/City/).waitFor();
  await form.getByLabel("Time zone").fill("Europe/Berlin");
  await form.getByRole("button", { name: "New schedule" }).click();
  const row = page.getByRole("table", { name: "Schedules" }).getByRole("row", { name: /News/ });
  await row.getByText("Every Monday at 09:00").waitFor();
  await row.getByRole("button", { name: "Delete: News" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No schedules").waitFor();
});

world.flow("the theme is set before the first paint, follows the system, and stays", async () => {
  const context = await world.window({ user: "mira", colorScheme: "dark" });
  await context.addInitScript(() => {
    document.addEventListener("DOMContentLoaded", () => {
      globalThis.themeAtStart = document.documentElement.dataset.theme;
    });
  });
  const page = await open(context, world.server, "/settings/appearance");
  const atStart = () => page.evaluate(() => globalThis.themeAtStart);
  assert.equal(await atStart(), "dark");
  await page.getByText("Light", { exact: true }).click();
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  await page.reload();
  await shown(page, "/settings/appearance");
  assert.equal(await atStart(), "light", "chosen light, on a dark system");
  await page.getByText("System", { exact: true }).click();
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  await page.emulateMedia({ colorScheme: "light" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  await page.reload();
  await shown(page, "/settings/appearance");
  assert.equal(await atStart(), "light");
  await page.getByText("Compact", { exact: true }).click();
  await page.waitForFunction(() => document.documentElement.dataset.density === "compact");
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.density === "compact");
});

world.flow("another device is signed out from the list, and asked to sign in over its page", async () => {
  const other = await world.window({ user: "mira", allow: [{ text: /status of 401|WebSocket/ }], viewport: desktop });
  const there = await open(other, world.server, "/chat");
  await there.getByLabel("Message", { exact: true }).fill("a draft on the other device");
  const context = await world.window({});
  await signIn(context, world.server);
  const page = await open(context, world.server, "/settings/account");
  const table = page.getByRole("table", { name: "Signed in" });
  await table.getByText("This device").waitFor();
  const ends = table.getByRole("button", { name: "Sign out" });
  for (let left = await ends.count(); left > 0; left--) {
    await ends.first().click();
    await page.waitForFunction(
      (n) => [...document.querySelectorAll("table[aria-label='Signed in'] button")].length < n,
      left,
    );
  }
  const sheet = there.getByRole("dialog", { name: "You were signed out" });
  await sheet.waitFor();
  await sheet.locator("input[autocomplete=current-password]").fill(password);
  await sheet.getByRole("button", { name: "Sign in", exact: true }).click();
  await sheet.waitFor({ state: "detached" });
  assert.equal(await there.getByLabel("Message", { exact: true }).inputValue(), "a draft on the other device");
});
