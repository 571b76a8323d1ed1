// Passkeys, with an authenticator that Chromium emulates: made in Settings, signed in with, and asked for once an hour before
// something dangerous is approved. The server is opened as localhost: passkeys need a name.
import assert from "node:assert/strict";
import { axeFindings, composer, connected, idle, open, password, refused, shown, signIn, suite } from "./kit.mjs";

const world = suite();
const named = { origin: undefined, url: (path) => named.origin + path };

/** A window at localhost with an authenticator of its own. */
async function window() {
  named.origin = world.server.origin.replace("127.0.0.1", "localhost");
  const context = await world.window({ allow: [refused(403), { text: /status of 401/ }] });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  // The kit watches for requests to other origins; this flow knows the server by another name.
  const strangers = () => context.watch.seen.filter((line) => !line.startsWith(`request to another origin: ${named.origin}/`));
  return { context, page, strangers };
}

async function ask(page, text) {
  await page.goto(named.url("/chat"));
  await connected(page);
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await page.waitForURL(/\/chat\/conv_/);
  await page.locator("article[data-approval]").first().waitFor();
}

world.flow("a passkey is made, signs in, and confirms what is dangerous once", async () => {
  const { context, page, strangers } = await window();
  await signIn(context, named);
  await page.goto(named.url("/settings/account"));
  await page.getByText("No passkey yet").waitFor();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Pixel 9");
  await dialog.getByLabel("Current password").fill(password);
  assert.deepEqual(await axeFindings(page), []);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const row = page.getByRole("table", { name: "Passkeys" }).getByRole("row", { name: /Pixel 9/ });
  await row.getByText("localhost").waitFor();
  await page.getByRole("switch", { name: "Confirm approvals" }).waitFor();

  // Asked for once: this session began with a password.
  const confirms = [];
  page.on("request", (request) => request.url().endsWith("/session/confirm") && confirms.push(request.url()));
  await ask(page, "run `rm -rf one`");
  const card = page.locator("article[data-approval]").first();
  await card.getByText("Approving asks for your passkey, at most once an hour.").waitFor();
  await card.getByRole("button", { name: "Approve once" }).click();
  await page.getByText(/^Approved by Mira Holm, \d\d:\d\d\./).first().waitFor();
  await idle(page);
  assert.equal(confirms.length, 1);
  await ask(page, "run `rm -rf two`");
  await card.getByRole("button", { name: "Approve once" }).click();
  await page.getByText(/^Approved by Mira Holm, \d\d:\d\d\./).first().waitFor();
  await idle(page);
  assert.equal(confirms.length, 1, "the second time within the hour does not ask");

  await page.request.delete(named.url("/api/v1/session"));
  await page.goto(named.url("/login"));
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL(named.url("/"));
  await shown(page, "/");
  await page.goto(named.url("/settings/account"));
  await row.getByRole("button", { name: "Remove" }).click();
  await page.getByText("No passkey yet").waitFor();
  assert.deepEqual(strangers(), []);
  context.watch.seen.length = 0;
});

world.flow("by an address there are none, and the page says what to do", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/settings/account");
  const port = new URL(world.server.origin).port;
  await page.getByText(`On the machine that runs it, open http://localhost:${port}`).waitFor();
  assert.equal(await page.getByRole("button", { name: "Add a passkey" }).count(), 0);
});
