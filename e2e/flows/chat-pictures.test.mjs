// Pictures that tools give, and helpers that are stopped one by one.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { axeFindings, composer, connected, idle, open, phone, suite, thread } from "./kit.mjs";

const world = suite();
const picture = fileURLToPath(new URL("../../web/public/icons/icon-192.png", import.meta.url));

/** Puts a picture where agents of the workspace work. */
async function place(context, name) {
  const me = await (await context.request.get(world.server.url("/api/v1/session"))).json();
  const folder = join(world.server.env.FLUXWAY_HOME, "files", me.workspace.id);
  mkdirSync(folder, { recursive: true });
  copyFileSync(picture, join(folder, name));
}

world.flow("a picture that a tool gave is shown small, then large, live and after a reload, and in the trace", async () => {
  const context = await world.window({ user: "mira", viewport: phone });
  await place(context, "shot.png");
  const page = await open(context, world.server, "/chat?agent=coder");
  await page.locator(".box").getByText("Coder").waitFor(); // the agent of the address is chosen
  await composer(page).fill("read the file shot.png");
  await composer(page).press("Enter");
  const small = thread(page).getByRole("button", { name: "Show larger: Picture from read_file" });
  await small.waitFor();
  await idle(page);
  for (const again of [false, true]) {
    if (again) await page.reload();
    await small.waitFor();
    await thread(page).locator(".tool summary").getByText(/^[\d.]+ m?s$/).waitFor(); // how long it took
    const box = await small.boundingBox();
    assert.deepEqual([box.width, box.height], [168, 112], "it has its room before it is there");
    await small.locator("img").evaluate((image) => image.decode());
    await small.click();
    const large = page.getByRole("dialog", { name: "Picture from read_file" });
    await large.getByRole("img", { name: "Picture from read_file" }).waitFor();
    if (again) assert.deepEqual(await axeFindings(page), []);
    await page.keyboard.press("Escape");
    await large.waitFor({ state: "detached" });
  }
  const run = (await (await context.request.get(world.server.url("/api/v1/runs?limit=1"))).json()).data[0].id;
  await page.goto(world.server.url(`/traces/${run}`));
  await page.getByRole("treegrid").getByText("read_file").first().click();
  await page.getByRole("button", { name: "Show larger: Picture from read_file" }).waitFor();
});

world.flow("one helper is stopped from its lane, the other goes on and is told something", async () => {
  const context = await world.window({ user: "mira" });
  const asked = await context.request.post(world.server.url("/api/v1/agents/coordinator/chat"), {
    data: { message: "ask the researcher and the coder: tell a story of 999 sentences" },
  });
  const page = await open(context, world.server, `/chat/${(await asked.json()).conversation.id}`);
  const lanes = thread(page).locator("section.lane");
  await lanes.filter({ hasText: "Coder helper" }).getByText("Running", { exact: true }).waitFor();
  await connected(page);
  await page.reload();
  await lanes.filter({ hasText: "Coder helper" }).getByText(/a story of 999 sentences/).first().waitFor();
  await lanes.getByRole("button", { name: "Stop the Researcher helper" }).click();
  await lanes.filter({ hasText: "Researcher helper" }).getByText("Stopped", { exact: true }).waitFor();
  await lanes.filter({ hasText: "Coder helper" }).getByText("Running", { exact: true }).waitFor();
  await lanes.filter({ hasText: "Coder helper" }).locator("summary").first().click();
  const field = lanes.getByRole("textbox", { name: "A word to the Coder helper" });
  await field.fill("no more than ten");
  await field.press("Enter");
  const told = lanes.filter({ hasText: "Coder helper" }).getByText("no more than ten", { exact: true });
  await told.waitFor();
  await lanes.getByText("On its way: the helper reads it before its next step").waitFor();
  assert.equal(await field.inputValue(), "");
  assert.deepEqual(await axeFindings(page), []);
  await page.getByRole("button", { name: "Stop", exact: true }).last().click();
  await idle(page);
  await page.reload();
  await lanes.filter({ hasText: "Researcher helper" }).getByText("Stopped", { exact: true }).waitFor();
  await lanes.filter({ hasText: "Coder helper" }).locator("summary").first().click();
  await told.waitFor();
  assert.equal(await field.count(), 0, "nothing is said to who has stopped");
});
