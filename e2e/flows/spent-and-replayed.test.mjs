// The money runs out: the run that was stopped is read in its trace, more is granted, and the request is replayed beside it.
import assert from "node:assert/strict";
import { answers, axeFindings, composer, connected, desktop, idle, open, phone, refused, shown, suite } from "./kit.mjs";

const world = suite();

async function ask(page, text, n) {
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await page.waitForURL(/\/chat\/conv_/);
  await answers(page).nth(n).waitFor();
  await idle(page);
}

for (const [size, viewport] of Object.entries({ desktop, phone })) {
  world.flow(`on a ${size}: a spent budget stops a run; it is raised, and the request is replayed beside the original`, async () => {
    const context = await world.window({ user: "mira", viewport, allow: [refused(429)] });
    const name = `Purse of the ${size}`;
    const made = await context.request.post(world.server.url("/api/v1/costs/budgets"), {
      data: { name, amount: 1, period: "daily", at_limit: "block" },
    });
    assert.ok(made.ok(), await made.text());
    const chat = await open(context, world.server, "/chat");
    if (size === "desktop") await connected(chat);
    await ask(chat, `Say hello on a ${size}`, 0);
    // The first answer may have been let through; the next one is not.
    const blocked = await answers(chat).getByText(/is used up/).count();
    if (!blocked) await ask(chat, `Say hello on a ${size}`, 1);
    await answers(chat).getByText(/is used up/).last().waitFor();

    // The inbox names it and leads to the trace, where the reason stands beside the step that failed.
    const page = await open(context, world.server, "/inbox?tab=alerts");
    await page.getByRole("button", { name: new RegExp(`^Failed run: Say hello on a ${size}`) }).click();
    await page.getByRole("link", { name: "Open the trace" }).click();
    await page.waitForURL(/\/traces\/run_/);
    const original = new URL(page.url()).pathname;
    await page.getByRole("treegrid", { name: "Steps in time" }).waitFor();
    await page.getByRole("complementary", { name: "Details" }).getByText(/is used up/).first().waitFor();

    assert.deepEqual(await axeFindings(page), []);

    // More money.
    await page.goto(world.server.url("/costs/budgets"));
    await shown(page, "/costs/budgets");
    await page.getByText(name).first().waitFor();
    const card = page.locator("li, article, section").filter({ hasText: name }).filter({ has: page.getByRole("button", { name: "Grant more" }) }).last();
    await card.getByRole("button", { name: "Grant more" }).click();
    const grant = page.getByRole("dialog");
    await grant.getByLabel("Amount on top").fill("5");
    await grant.getByRole("button", { name: "Grant", exact: true }).click();
    await grant.waitFor({ state: "detached" });

    // The same request again, beside the original.
    await page.goto(world.server.url(original));
    await shown(page, original);
    await page.locator("header").getByRole("button", { name: "Replay", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Model").waitFor();
    await dialog.getByRole("button", { name: "Replay", exact: true }).click();
    await page.waitForURL(/\/traces\/compare\?/);
    await page.getByRole("region", { name: "A", exact: true }).getByText("Failed").waitFor();
    await page.getByRole("region", { name: "B", exact: true }).getByText("Done").waitFor();
    await page.getByText(/steps? differs?/).first().waitFor();
    assert.deepEqual(await axeFindings(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "nothing scrolls sideways");
  });
}
