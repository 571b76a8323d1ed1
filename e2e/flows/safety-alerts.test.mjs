// What went wrong and what runs out of money is in the inbox until it is put away.
import assert from "node:assert/strict";
import { answers, composer, connected, idle, open, refused, shown, suite } from "./kit.mjs";

const world = suite();

world.flow("a spent budget and the run it stopped are alerts; E puts them away for good", async () => {
  const context = await world.window({ user: "mira", allow: [refused(429)] });
  const made = await context.request.post(world.server.url("/api/v1/costs/budgets"), {
    data: { name: "A tiny purse", amount: 1, period: "daily", at_limit: "block" },
  });
  assert.ok(made.ok(), await made.text());
  const chat = await open(context, world.server, "/chat");
  await connected(chat);
  await composer(chat).fill("Say hello");
  await composer(chat).press("Enter");
  await chat.waitForURL(/\/chat\/conv_/);
  await answers(chat).first().waitFor();
  await idle(chat);
  await composer(chat).fill("Say it again");
  await composer(chat).press("Enter");
  await answers(chat).nth(1).waitFor();
  await idle(chat);

  const page = await open(context, world.server, "/inbox?tab=alerts");
  const list = page.getByRole("list", { name: "Things in the inbox" });
  const failed = list.getByRole("button", { name: /^Failed run: Say it again/ });
  const spent = list.getByRole("button", { name: /^Budget: A tiny purse has used up its budget/ });
  await spent.waitFor();
  await failed.click();
  await page.getByText(/The daily budget "A tiny purse" is used up/).last().waitFor();
  await page.keyboard.press("e");
  await failed.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Open budgets" }).waitFor();
  await page.keyboard.press("e");
  await page.getByText("No alerts").waitFor();
  await page.reload();
  await shown(page, "/inbox");
  await page.getByText("No alerts").waitFor();
});
