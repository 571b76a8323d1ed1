// The money runs out: the run that was stopped is read in its trace, more is granted, and the request is replayed beside it. A
// replay is worth something: the chat goes on from it, and it is kept to be tried with other models.
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
    // The first answer may have been let through; the next one is not. Why a run failed is drawn just after that it did.
    await answers(chat).first().getByText(/is used up|You said/).first().waitFor();
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

    // The chat knows nothing of it until it goes on from there.
    await page.getByRole("region", { name: "B", exact: true }).getByRole("button", { name: "Continue chat from this replay" }).click();
    await page.waitForURL(/\/chat\/conv_/);
    await answers(page).last().getByText(`You said: “Say hello on a ${size}”.`).waitFor();
    assert.equal(await page.getByText(/is used up/).count(), 0, "it is not the last word any more");
    assert.equal(await composer(page).evaluate((field) => field === document.activeElement), true, "one can write at once");
    await composer(page).fill("What is 6*7?");
    await composer(page).press("Enter");
    await answers(page).last().getByText("42").first().waitFor();
    await idle(page);
  });
}

world.flow("a replay becomes a branch of its chat, and a test case that other models are held against", async () => {
  const context = await world.window({ user: "mira", viewport: desktop });
  const chat = await open(context, world.server, "/chat");
  await connected(chat);
  await ask(chat, "What is 6*7?", 0);
  const { data } = await (await context.request.get(world.server.url("/api/v1/runs?limit=1"))).json();
  const page = await open(context, world.server, `/traces/${data[0].id}`);
  await page.locator("header").getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Replay", exact: true }).click();
  await page.waitForURL(/\/traces\/compare\?/);
  const replay = page.getByRole("region", { name: "B", exact: true });
  await replay.getByText("Done").waitFor();
  assert.equal(await answers(chat).count(), 1, "the chat is as it was");

  // Kept, with what the answer must have.
  await replay.getByRole("button", { name: "Keep as a test case" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Six times seven");
  await dialog.getByLabel("The answer").selectOption("contains");
  await dialog.getByLabel("Words it must have").fill("42");
  assert.deepEqual(await axeFindings(page), []);
  await dialog.getByRole("button", { name: "Keep", exact: true }).click();
  await dialog.waitFor({ state: "detached" });

  // Two windows go on from it: it is one branch, beside the first answer.
  const compared = page.url();
  const other = await open(context, world.server, compared.slice(compared.indexOf("/traces")));
  for (const one of [page, other]) {
    await one.getByRole("region", { name: "B", exact: true }).getByRole("button", { name: "Continue chat from this replay" }).click();
    await one.waitForURL(/\/chat\/conv_/);
    await answers(one).getByText("2/2").waitFor();
  }
  await other.close();
  await answers(chat).getByText("2/2").waitFor();
  await ask(page, "Say hello", 1);
  await answers(page).first().getByRole("button", { name: /^Previous/ }).click();
  await answers(page).getByText("1/2").waitFor();
  assert.equal(await answers(page).count(), 1, "what was said on the other branch stays there");

  // The case passes with its own model; another that is not there differs, and is laid beside the original.
  await page.goto(world.server.url("/traces/cases"));
  await shown(page, "/traces/cases");
  const kept = page.getByRole("listitem").filter({ hasText: "Six times seven" });
  await kept.getByText("Not tried yet").waitFor();
  await page.getByRole("button", { name: "Run all" }).click();
  await kept.getByText("Passed").waitFor();
  assert.deepEqual(await axeFindings(page), []);
  await page.getByLabel("Model to try with").selectOption({ index: 1 });
  await kept.getByRole("button", { name: /^Run/ }).click();
  await kept.getByText(/Passed|Differs/).waitFor();
  await kept.getByRole("link", { name: "Compare" }).click();
  await page.waitForURL(/\/traces\/compare\?/);
  await page.getByRole("region", { name: "B", exact: true }).getByText(/Done|Failed/).waitFor();
});
