// One message to several agents, answers side by side; a chat that is shared, with a member who is seen in it and comments.
import assert from "node:assert/strict";
import { axeFindings, composer, connected, desktop, idle, open, password, phone, suite, thread } from "./kit.mjs";

const world = suite();

for (const [name, viewport] of [
  ["desk", desktop],
  ["phone", phone],
]) {
  world.flow(`a message goes to two agents and both answers come, on a ${name}`, async () => {
    const context = await world.window({ user: "mira", viewport });
    const page = await open(context, world.server, "/chat/broadcast?q=Hello");
    const boxes = page.getByRole("checkbox");
    await boxes.first().waitFor();
    for (const box of await boxes.all()) await box.setChecked(false);
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole("button", { name: "Ask 2 agents" }).click();
    const answers = page.getByRole("region", { name: "Answers" }).locator("section.answer");
    await answers.nth(1).getByText("Hello! Say help").waitFor();
    await answers.nth(0).getByText("Hello! Say help").waitFor();
    assert.equal(await answers.count(), 2);
    await answers.nth(1).getByText("Done").waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    await answers.nth(0).getByRole("link", { name: /^Open chat/ }).click();
    await page.waitForURL(/\/chat\/conv_/);
    await thread(page).getByText("Hello! Say help").waitFor();
  });
}

world.flow("a shared chat opens for a member, who is seen, whose comment comes at once and is a mention in the inbox", async () => {
  const owner = await world.window({ user: "mira" });
  const made = await owner.request.post(world.server.url("/api/v1/users"), {
    data: { user: "jonas", name: "Jonas Berg", password, role: "operator" },
  });
  assert.ok(made.ok(), await made.text());
  const a = await open(owner, world.server, "/chat");
  await composer(a).fill("Hello");
  await composer(a).press("Enter");
  await a.waitForURL(/\/chat\/conv_/);
  await idle(a);
  await a.getByRole("button", { name: "Share" }).click();
  await a.getByRole("switch", { name: "Share with the workspace" }).click();
  await a.getByText("Everyone in the workspace can open it.").waitFor();
  await a.keyboard.press("Escape");

  const member = await world.window({ user: "jonas" });
  const b = await open(member, world.server, new URL(a.url()).pathname);
  await connected(b);
  await thread(b).getByText("Hello! Say help").waitFor();
  await a.getByRole("list", { name: "Also here" }).getByRole("button", { name: /^Jonas Berg, on a desktop/ }).waitFor();
  await b.getByRole("button", { name: "Comment" }).last().click();
  await b.getByRole("textbox", { name: "Comment" }).fill("Looks right to me.");
  await b.getByRole("region", { name: "Comments" }).getByRole("button", { name: "Comment", exact: true }).click();
  await a.getByRole("button", { name: "1 comment" }).first().waitFor();

  // The owner finds it under Mentions, puts it off and takes that back, then puts it away for good.
  const inbox = await open(owner, world.server, "/inbox?tab=mentions");
  const line = inbox.getByRole("list", { name: "Things in the inbox" }).getByRole("button", { name: /Looks right to me\./ });
  await line.waitFor();
  await inbox.getByRole("heading", { name: "Jonas Berg wrote a comment" }).waitFor();
  await inbox.keyboard.press("s");
  await line.waitFor({ state: "detached" });
  await inbox.getByRole("button", { name: "Undo" }).click();
  await line.waitFor();
  await inbox.getByRole("button", { name: "Done E" }).click();
  await line.waitFor({ state: "detached" });
  await inbox.reload();
  await inbox.getByText("Nobody mentioned you").waitFor();
});
