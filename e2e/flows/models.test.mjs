// From the demo model to a real one: a wrong key is named, a right one answers at once.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after } from "node:test";
import { answers, axeFindings, composer, desktop, open, phone, refused, settled, suite } from "./kit.mjs";

/** A vendor that speaks OpenAI's chat protocol and knows one key. */
const vendor = createServer((request, response) => {
  if (request.headers.authorization !== "Bearer gsk-right") {
    response.writeHead(401, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ error: { message: "Invalid API Key", code: "invalid_api_key" } }));
    return;
  }
  if (request.url.endsWith("/models")) {
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ data: [{ id: "llama-3.3-70b-versatile" }] }));
    return;
  }
  response.setHeader("Content-Type", "text/event-stream");
  const chunk = (delta, more = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: "c1", model: "llama", choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`,
    );
  chunk({ role: "assistant", content: "Hello from " });
  chunk({ content: "the vendor." });
  chunk({}, { finish_reason: "stop" });
  response.end("data: [DONE]\n\n");
});
await new Promise((done) => vendor.listen(0, "127.0.0.1", done));
after(() => vendor.close());

const world = suite({ env: { GROQ_BASE_URL: `http://127.0.0.1:${vendor.address().port}/v1` } });

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
