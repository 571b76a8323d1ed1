// The page of safety: commands are tested, allowed for a while, judged by another policy, and every call is found again.
import assert from "node:assert/strict";
import { connected, composer, idle, open, suite } from "./kit.mjs";

const world = suite();

async function ask(page, text) {
  await page.goto(world.server.url("/chat"));
  await connected(page);
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await page.waitForURL(/\/chat\/conv_/);
}

world.flow("a command is tested, and what is refused says why and what would be safer", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/safety/test");
  await page.getByText("It may run").waitFor();
  await page.getByRole("button", { name: "git push --force origin main" }).click();
  await page.getByText("It is refused").waitFor();
  await page.getByText("core.git.push-force", { exact: true }).waitFor();
  await page.getByText("git fetch --all").waitFor();
  assert.match(page.url(), /command=git/);
  await page.getByLabel("Command", { exact: true }).fill("echo ok && rm -rf notes");
  await page.getByText("A person is asked first").waitFor();
  await page.locator("mark", { hasText: "rm -rf notes" }).waitFor();
  assert.doesNotMatch(await page.locator("mark").innerText(), /echo/);
});

world.flow("what is allowed in advance is not asked about, until it is taken back", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/safety/allowed");
  await page.getByRole("button", { name: "Allow something" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Command", { exact: true }).fill("rm -rf drafts");
  await dialog.getByRole("button", { name: "Allow", exact: true }).click();
  await page.getByRole("cell", { name: "rm -rf drafts", exact: true }).waitFor();
  const chat = await open(context, world.server, "/");
  await ask(chat, "run `rm -rf drafts`");
  await idle(chat);
  assert.equal(await chat.locator("article[data-approval]").count(), 0, "nobody was asked");
  await page.getByRole("button", { name: "Ask about rm -rf drafts again" }).click();
  await dialog.getByRole("button", { name: "Ask again" }).click();
  await page.getByText("Nothing is allowed in advance").waitFor();
  await ask(chat, "run `rm -rf drafts`");
  await chat.locator("article[data-approval]").getByRole("button", { name: "Deny", exact: true }).click();
  await idle(chat);
});

world.flow("the audit has every call with its ruling, narrowed by filters that are in the address", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/safety/audit");
  const row = (name) => page.getByRole("row", { name });
  await row(/rm -rf drafts.*Asks a person/).first().waitFor();
  await row(/rm -rf drafts.*Allowed/).first().waitFor();
  await page.getByLabel("Verdict").selectOption("allow");
  await row(/Asks a person/).first().waitFor({ state: "detached" });
  assert.match(page.url(), /verdict=allow/);
  await row(/rm -rf drafts/).first().click();
  const drawer = page.getByRole("complementary", { name: "Call" });
  await drawer.getByText(/^Somebody allowed it/).waitFor();
  await drawer.getByRole("button", { name: "It was right" }).click();
  await drawer.getByRole("button", { name: "It was right", pressed: true }).waitFor();
  await page.keyboard.press("Escape");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: "As CSV" }).click();
  assert.match((await download).suggestedFilename(), /^calls.*\.csv$/);
});

world.flow("a careful policy asks about what changes something; those who may not change it read it", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/safety/policy");
  await page.getByText("Careful", { exact: true }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("Whatever changes something is asked about first.").waitFor();
  const chat = await open(context, world.server, "/");
  await ask(chat, 'write "x" to the file plan.txt');
  await chat.locator("article[data-approval]").getByText("Approve this call of write_file?").waitFor();
  await page.getByRole("button", { name: "Use the settings’ policy" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Use the settings’ policy" }).click();
  await page.getByText("Each call is judged by what it would do.").waitFor();

  const made = await context.request.post(world.server.url("/api/v1/users"), {
    data: { user: "vera", name: "Vera Lind", password: "a quiet harbour at 6am", role: "viewer" },
  });
  assert.ok(made.ok(), await made.text());
  const other = await world.window();
  const answer = await other.request.post(world.server.url("/api/v1/session"), {
    data: { user: "vera", password: "a quiet harbour at 6am" },
  });
  assert.ok(answer.ok());
  const look = await open(other, world.server, "/safety/policy");
  await look.getByText("An admin of this workspace can change the policy.").waitFor();
  await look.goto(world.server.url("/safety"));
  await look.locator("article[data-approval]").first().waitFor();
  assert.equal(await look.locator("article[data-approval] button").count(), 0);
});
