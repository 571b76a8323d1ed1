// Signing out and in: wrong and right passwords, two-step sign-in, recovery codes, trusted devices.
import assert from "node:assert/strict";
import { open, password, refused, shown, suite } from "./kit.mjs";
import { code } from "./totp.mjs";

const world = suite();
// The page that is being left may still ask for something with the session that just ended.
const ended = refused(401);

async function credentials(page, secret) {
  await page.getByLabel("User name").fill("mira");
  await page.locator("input[autocomplete=current-password]").fill(secret);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function signOut(page) {
  await page.getByRole("button", { name: /Mira Holm/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: /^Sign in to / }).waitFor();
}

world.flow("signing out ends the session; a wrong password says so, the right one leads to where one wanted", async () => {
  const context = await world.window({ user: "mira", allow: [ended] });
  const page = await open(context, world.server, "/");
  await signOut(page);
  const gone = await context.request.get(world.server.url("/api/v1/session"));
  assert.equal(gone.status(), 401, "the cookie is worth nothing any more");

  await page.goto(world.server.url("/settings/keys"));
  await page.waitForURL(/\/login\?next=/);
  await credentials(page, "not the password");
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /name or (the )?password/i);
  assert.equal(await page.getByLabel("User name").inputValue(), "mira", "the name need not be typed again");
  await credentials(page, password);
  await shown(page, "/settings/keys");
});

world.flow("two-step sign-in: set-up, code, recovery code, trusted device", async () => {
  const context = await world.window({ user: "mira", allow: [ended] });
  const page = await open(context, world.server, "/settings/account");
  const card = page.getByRole("region", { name: "Two-step sign-in" });
  await card.getByRole("button", { name: "Turn on" }).click();
  const scan = page.getByRole("dialog", { name: "Two-step sign-in" });
  await scan.getByRole("img", { name: /QR code/ }).waitFor();
  const secret = (await scan.locator("code").first().innerText()).trim();
  assert.match(await scan.getByRole("link", { name: "Address for the app" }).getAttribute("href"), /^otpauth:\/\/totp\//);
  await scan.getByLabel("Code from the app").fill(code(secret, -1));
  await scan.getByRole("button", { name: "Confirm" }).click();

  const saved = page.getByRole("dialog", { name: "Save your recovery codes" });
  await saved.waitFor();
  const codes = await saved.getByRole("listitem").allInnerTexts();
  assert.ok(codes.length >= 8, `${codes.length} recovery codes`);
  await page.keyboard.press("Escape");
  assert.ok(await saved.isVisible(), "what is shown once is not closed by accident");
  await saved.getByRole("button", { name: "I saved them" }).click();
  await card.getByText("On.", { exact: false }).waitFor();
  await signOut(page);

  await credentials(page, password);
  const field = page.getByLabel("Code", { exact: true });
  await field.fill("000000");
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByRole("alert").waitFor();
  await field.fill(code(secret));
  await page.getByRole("button", { name: "Verify" }).click();
  await shown(page, "/");
  await signOut(page);

  await credentials(page, password);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(codes[0]);
  await page.getByLabel("Trust this device for 30 days").check();
  await page.getByRole("button", { name: "Verify" }).click();
  await shown(page, "/");
  await signOut(page);

  await credentials(page, password);
  await shown(page, "/");
  await page.goto(world.server.url("/settings/account"));
  const devices = page.getByRole("table", { name: "Trusted devices" });
  await devices.getByRole("button", { name: "Forget" }).click();
  await page.getByText("No device is trusted").waitFor();
  await signOut(page);

  await credentials(page, password);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(codes[0]);
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Recovery code").fill(codes[1]);
  await page.getByRole("button", { name: "Verify" }).click();
  await shown(page, "/");

  await page.goto(world.server.url("/settings/account"));
  await card.getByRole("button", { name: "Turn off" }).click();
  await page.getByRole("dialog").getByLabel("Current password").fill(password);
  await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
  await card.getByText("Off.", { exact: false }).waitFor();
});
