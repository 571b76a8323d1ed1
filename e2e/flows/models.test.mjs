// From the demo model to a real one: a wrong key is named, a right one answers at once.
import assert from "node:assert/strict";
import { answers, axeFindings, composer, desktop, open, phone, refused, settled, suite } from "./kit.mjs";
import { vendor } from "./vendor.mjs";

const env = await vendor(
  (say) => {
    say("Hello from ");
    say("the vendor.");
  },
  { key: "gsk-right" },
);
const world = suite({ env });

world.flow("a key is tested when it is added, and the next answer is the vendor's", async () => {
  const context = await world.window({ user: "mira", viewport: desktop, allow: [refused(400, /accounts/)] });
  const page = await open(context, world.server, "/chat");
  await page.getByRole("link", { name: "Connect a model" }).click();
  await page.getByRole("button", { name: "Add key" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Provider").selectOption({ label: "Groq" });
  await form.getByLabel("API key").fill("gsk-wrong");
  await form.getByRole("button", { name: "Test and save" }).click();
  await form.getByText("Groq did not accept our credential.").waitFor();
  assert.deepEqual(await axeFindings(page), []);
  await form.getByLabel("API key").fill("gsk-right");
  await form.getByRole("button", { name: "Test and save" }).click();
  await form.waitFor({ state: "detached" });
  const row = page.getByRole("table", { name: "Providers" }).getByRole("row", { name: /Groq/ });
  await row.getByText("Ready").waitFor();
  await row.getByText("Stored here").waitFor();
  await page.getByRole("table", { name: "Models", exact: true }).getByRole("row", { name: /llama-3.3.*/ }).getByText("Default").waitFor();
  assert.deepEqual(await axeFindings(page), []);

  await page.goto(world.server.url("/chat"));
  await composer(page).fill("Hello?");
  await page.keyboard.press("Enter");
  await answers(page).getByText("Hello from the vendor.").waitFor();
  await settled(page, 2);

  await page.goto(world.server.url("/settings/models"));
  await row.getByRole("button", { name: /Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button", { name: "Remove" }).click();
  await row.getByText("Stored here").waitFor({ state: "detached" });
});

world.flow("the page of models fits a phone", async () => {
  const context = await world.window({ user: "mira", viewport: phone });
  const page = await open(context, world.server, "/settings/models");
  await page.getByRole("button", { name: "Look on this machine" }).click();
  await page.getByRole("radio", { name: /Demo model/ }).waitFor();
  assert.deepEqual(await axeFindings(page), []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
});
