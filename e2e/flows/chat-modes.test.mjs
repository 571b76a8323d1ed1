// What is written while an answer comes: after it, into it, or instead of it. And helpers, live and after a reload.
import assert from "node:assert/strict";
import { composer, connected, desktop, idle, open, phone, settled, shown, suite, thread } from "./kit.mjs";

const world = suite();
const endless = "Write a story of 999 sentences"; // five minutes

/** Opens a new chat and waits until a long answer is being written. */
async function story(page, wanted = "Write a long story") {
  await connected(page);
  await composer(page).fill(wanted);
  await composer(page).press("Enter");
  await page.waitForURL(/\/chat\/conv_/);
  await page.waitForFunction(() => /Word after word/.test(document.querySelector("[role=log] article[aria-busy=true]")?.textContent ?? ""));
}

async function choose(page, mode) {
  await page.getByRole("button", { name: "How to send" }).click();
  await page.getByRole("menuitem", { name: mode }).click();
}

/** The letters of a text, whatever draws it. */
const bare = (text) => text.replace(/[^a-z]+/gi, " ").trim();

const words = (text) => text.match(/Word after word/g)?.length ?? 0;

world.flow("Enter while an answer comes: the message waits its turn", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/chat");
  await story(page);
  await composer(page).fill("Hello");
  await composer(page).press("Enter");
  await thread(page).getByText("Hello! Say help").waitFor();
  const texts = await settled(page, 4);
  assert.deepEqual([texts[0], words(texts[1]), texts[2]], ["Write a long story", 40, "Hello"]);
  assert.match(texts[3], /Hello! Say help/);
});

world.flow("stop and send: what was written stays, and the new question is answered after it", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/chat");
  await story(page, endless);
  await composer(page).fill("Hello");
  await choose(page, "Stop the run and send");
  await thread(page).getByText("Hello! Say help").waitFor();
  const texts = await settled(page, 4);
  assert.deepEqual([texts[0], texts[2]], [endless, "Hello"]);
  assert.ok(words(texts[1]) > 0 && words(texts[1]) < 999, texts[1]);
  assert.match(texts[3], /Hello! Say help/);
  await page.reload();
  await shown(page, new URL(page.url()).pathname);
  assert.deepEqual(await settled(page, 4), texts, "the same after a reload");
});

for (const [name, viewport] of Object.entries({ desk: desktop, phone })) {
  world.flow(`two helpers work side by side, and their words are there after a reload, on a ${name}`, async () => {
    const context = await world.window({ user: "mira", viewport });
    const asked = await context.request.post(world.server.url("/api/v1/agents/coordinator/chat"), {
      data: { message: "ask the researcher and the coder: why is it slow?" },
    });
    const { conversation, run } = await asked.json();
    const page = await open(context, world.server, `/chat/${conversation.id}`);
    const lanes = thread(page).locator("section.lane");
    await lanes.nth(1).waitFor();
    await idle(page);
    await lanes.nth(1).getByText("Done").waitFor();
    assert.equal(await lanes.count(), 2);
    await page.reload();
    await shown(page, new URL(page.url()).pathname);
    await idle(page);
    await lanes.nth(0).locator("summary").click();
    await lanes.nth(1).locator("summary").click();
    // What a helper says depends on what it remembers of chats before; it is there in full, in the lane of its own.
    const { data } = await (await context.request.get(world.server.url(`/api/v1/runs/${run.id}/helpers`))).json();
    assert.equal(data.length, 2);
    for (const helper of data) {
      const lane = lanes.filter({ hasText: new RegExp(`${helper.agent} helper`, "i") }).locator(".inner");
      await page.waitForFunction(([inner, said]) => inner.innerText.replace(/[^a-z]+/gi, " ").trim() === said, [
        await lane.elementHandle(),
        bare(helper.result),
      ]);
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  });
}
