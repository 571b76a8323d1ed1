// A budget that asks: the run that meets its end waits, a person lets it go on or not, and the chat says what it costs.
import assert from "node:assert/strict";
import { answers, axeFindings, composer, connected, desktop, idle, open, phone, suite } from "./kit.mjs";

const world = suite();
const card = (page) => page.locator("article[data-approval]").first();

async function ask(page, text) {
  await page.goto(world.server.url("/chat"));
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await page.waitForURL(/\/chat\/conv_/);
}

const waits = (page) => card(page).getByText("Let this run spend beyond a budget?").waitFor();

for (const [size, viewport] of Object.entries({ desktop, phone })) {
  world.flow(`on a ${size}: a spent budget asks; a yes lets the run go on, a no ends it`, async () => {
    const context = await world.window({ user: "mira", viewport });
    const post = (path, data) => context.request.post(world.server.url(path), { data });
    const page = await open(context, world.server, "/chat");
    if (size === "desktop") await connected(page);
    await ask(page, "hello");
    await idle(page);
    // What was spent before counts, so that this one is used up from its beginning.
    const made = await post("/api/v1/costs/budgets", { name: `Purse of the ${size}`, amount: 1, period: "daily", at_limit: "ask" });
    assert.ok(made.ok(), await made.text());

    await ask(page, "hello again");
    await waits(page);
    await card(page).getByText(`Purse of the ${size}`).first().waitFor();
    await card(page).getByText("A yes lets this run, with its helpers, spend beyond the budget").waitFor();
    assert.deepEqual(await axeFindings(page), []);
    assert.equal(await answers(page).getByText("Say help").count(), 0, "nothing is answered before");
    if (size === "phone") {
      await card(page).getByRole("button", { name: "Approve for this run" }).tap(); // a tap is no hold: it asks once more
      await card(page).getByRole("group", { name: "Approve for this run" }).getByRole("button", { name: "Approve for this run" }).tap();
    } else await card(page).getByRole("button", { name: "Approve for this run" }).click();
    await answers(page).getByText("Say help to see what I understand").waitFor();
    await idle(page);
    // Who said so stands with the answer, also later.
    await answers(page).getByText(/^Approved by Mira/).waitFor();
    await page.reload();
    await answers(page).getByText(/^Approved by Mira/).waitFor();
    // What it cost stands in the head of the chat, with the budget that is used up.
    const spend = page.getByRole("button", { name: /^Cost of this chat: \$0\.0\d+ budget used up$/ });
    await spend.click();
    await page.getByRole("list", { name: "Budgets that count it" }).getByText(`Purse of the ${size}`).waitFor();
    await page.keyboard.press("Escape");

    // Another run is held to the budget as before.
    await ask(page, "hello a third time");
    await waits(page);
    await card(page).getByRole("button", { name: "Deny", exact: true }).first().click();
    await idle(page);
    const [last] = (await (await context.request.get(world.server.url("/api/v1/runs?limit=1"))).json()).data;
    assert.notEqual(last.state, "finished", "a no ends the run");

    const { id } = await made.json();
    const gone = await context.request.delete(world.server.url(`/api/v1/costs/budgets/${id}`));
    assert.ok(gone.ok(), await gone.text());
  });
}
