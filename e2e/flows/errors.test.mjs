// When things go wrong: no server, no such page, no permission, too many tries.
import assert from "node:assert/strict";
import { composer, open, password, refused, shown, suite, unreachable } from "./kit.mjs";

const world = suite();

world.flow("no server at load: the shell opens, says so in words, and works when it is back", async () => {
  const context = await world.window({ user: "mira", allow: [unreachable] });
  const page = await open(context, world.server, "/");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.reload();
  await shown(page, "/");
  await world.server.kill();
  await page.reload();
  await page.getByText("The server cannot be reached.").waitFor();
  await page.getByText(/Check that it is running/).waitFor();
  await world.server.start();
  await page.getByRole("button", { name: "Try again" }).click();
  await shown(page, "/");
});

world.flow("the server dies before all code was fetched: nothing on the page goes with it, and the rest comes later", async () => {
  const context = await world.window({
    user: "mira",
    serviceWorkers: "block", // it would have the code
    allow: [unreachable],
  });
  const page = await open(context, world.server, "/chat");
  await composer(page).fill("a draft that must stay");
  await page.route(/assets\/inbox-badge/, async (route) => {
    await world.server.kill();
    await route.continue();
  }, { times: 1 });
  await page.getByText("Reconnecting. What you type is kept and sent in order.").waitFor();
  assert.equal(await composer(page).inputValue(), "a draft that must stay");
  await page.getByRole("link", { name: "Costs" }).click();

  const badge = page.waitForResponse(/assets\/inbox-badge/);
  await world.server.start();
  await shown(page, "/costs");
  await page.getByRole("heading", { level: 1, name: "Costs" }).waitFor();
  assert.equal((await badge).status(), 200);
  await page.goBack();
  await shown(page, "/chat");
  assert.equal(await composer(page).inputValue(), "a draft that must stay");
});

world.flow("an address that leads nowhere says so, with a way back", async () => {
  const context = await world.window({ user: "mira", allow: [refused(404)] });
  const page = await context.newPage();
  await page.goto(world.server.url("/no/such/page"));
  await page.getByText("There is nothing at this address").last().waitFor();
  await page.getByRole("link", { name: "Fluxway" }).click();
  await shown(page, "/");
  await page.goto(world.server.url("/settings/nothing"));
  await page.getByText("There is nothing at this address").waitFor();
  await page.goto(world.server.url("/chat/conv_01M7ER3PJJNYPAE0CE04DCVG7W"));
  await page.getByRole("alert").getByText("There is nothing at this address").waitFor();
  const missing = await context.request.get(world.server.url("/api/v1/nothing"));
  assert.equal(missing.status(), 404);
  assert.ok((await missing.json()).error.code, "the API answers in its own shape, not with the page");
});

world.flow("a viewer who opens a page of admins is told so", async () => {
  const admin = await world.window({ user: "mira" });
  const made = await admin.request.post(world.server.url("/api/v1/users"), {
    data: { user: "vera", password, role: "viewer" },
  });
  assert.equal(made.status(), 201, await made.text());
  const context = await world.window({ user: "vera", allow: [refused(403)] });
  for (const path of ["/settings/config", "/settings/audit", "/settings/backup", "/settings/keys"]) {
    const page = await open(context, world.server, path);
    await page
      .getByText("Your role does not allow this")
      .or(page.getByText("There is nothing at this address"))
      .waitFor();
    assert.equal(await page.getByRole("table").count(), 0, `${path} shows nothing`);
    await page.close();
  }
});

world.flow("too many wrong passwords: the page says how long to wait", async () => {
  const context = await world.window({ allow: [refused(401), refused(429)] });
  const page = await context.newPage();
  await page.goto(world.server.url("/login"));
  await page.getByLabel("User name").fill("nobody");
  const field = page.locator("input[autocomplete=current-password]");
  const button = page.getByRole("button", { name: "Sign in", exact: true });
  const slow = page.getByRole("alert").getByText(/too many/i);
  for (let i = 0; i < 12 && (await slow.count()) === 0; i++) {
    await field.fill(`guess number ${i}`);
    await Promise.all([page.waitForResponse(/\/api\/v1\/session$/), button.click()]);
    await button.waitFor();
    await page.getByRole("alert").first().waitFor();
  }
  await slow.waitFor();
  assert.match(await page.getByRole("alert").innerText(), /\d+ ?(s|second|minute)|wait|later/i);
});
