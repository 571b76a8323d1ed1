// A dangerous command waits for a person: answered on a phone with one thumb, seen everywhere, undone afterwards.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { answers, axeFindings, composer, connected, idle, open, phone, refused, shown, suite } from "./kit.mjs";

const world = suite();
const danger = "rm -rf notes";

/** Where the assistant works when a chat belongs to no project. */
function files() {
  const home = join(world.server.dir, "home", "files");
  return join(home, readdirSync(home)[0]);
}

async function ask(page, text) {
  await page.goto(world.server.url("/chat"));
  await connected(page);
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await page.waitForURL(/\/chat\/conv_/);
}

const card = (page) => page.locator("article[data-approval]").first();

/** Holds a finger on an element until something is shown. */
async function hold(page, target, until) {
  const box = await target.boundingBox();
  const cdp = await page.context().newCDPSession(page);
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
  await until();
  await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

world.flow("a command is approved from the phone; the desk sees who did it, and the run goes on", async () => {
  const desk = await world.window({ user: "mira" });
  const page = await open(desk, world.server, "/");
  await ask(page, 'write "one" to the file notes/a.txt');
  await idle(page);
  await ask(page, `run \`${danger}\``);
  await card(page).getByText("Approve this command?").waitFor();
  await card(page).locator("mark", { hasText: danger }).waitFor();
  await card(page).getByText("core.files.rm-recursive").waitFor();
  await card(page).getByRole("timer").filter({ hasText: /^1[45]:\d\d left$/ }).waitFor();
  await page.getByRole("link", { name: /^Inbox\W+1 thing needs you/ }).waitFor();
  assert.ok(existsSync(join(files(), "notes", "a.txt")), "nothing happens before the answer");

  const mobile = await world.window({ user: "mira", viewport: phone });
  const small = await open(mobile, world.server, "/inbox");
  await small.getByRole("button", { name: /wants to run rm -rf notes/ }).click();
  await card(small).getByText("Deletes 1 file").waitFor();
  assert.deepEqual(await axeFindings(small), []);
  const button = card(small).getByRole("button", { name: "Hold to approve once" });
  const box = await button.boundingBox();
  assert.ok(box.height >= 44, `a thumb needs more than ${box.height} pixels`);
  await hold(small, button, () => card(small).getByText(/^Approved by Mira Holm on phone, \d\d:\d\d\./).waitFor());

  await page.getByText(/^Approved by Mira Holm on phone, \d\d:\d\d\./).first().waitFor();
  await idle(page);
  await answers(page).getByText(/run_command/).first().waitFor();
  assert.ok(!existsSync(join(files(), "notes")), "the approved command ran");
  await page.getByRole("link", { name: "Inbox", exact: true }).waitFor();
});

world.flow("what was deleted comes back: undo shows what it would do first", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/safety/snapshots");
  await page.getByRole("row", { name: /run_command/ }).getByRole("button", { name: "Undo" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("notes/a.txt").waitFor();
  await dialog.getByRole("button", { name: "Undo it" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Undone").first().waitFor();
  assert.ok(existsSync(join(files(), "notes", "a.txt")));
});

world.flow("a tap asks once more; a second answer from elsewhere is told that it comes too late", async () => {
  const desk = await world.window({ user: "mira", allow: [refused(409)] });
  const page = await open(desk, world.server, "/");
  await ask(page, `run \`${danger}\``);
  await card(page).getByText("Approve this command?").waitFor();
  const id = await card(page).getAttribute("data-approval");
  // The other window does not hear of it: its answer is the second one.
  const mobile = await world.window({ user: "mira", viewport: phone, allow: [refused(409), { text: /WebSocket|ERR_/ }] });
  await mobile.routeWebSocket(/\/api\/v1\/ws/, () => undefined);
  await mobile.route(/\/api\/v1\/events\/stream/, (route) => route.abort());
  const small = await open(mobile, world.server, `/inbox?item=approval:${id}`);
  await card(small).getByRole("button", { name: "Hold to approve once" }).tap();
  const again = card(small).getByRole("group", { name: "Approve once" });
  await again.waitFor();
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  await page.getByText(/^Denied by Mira Holm, \d\d:\d\d\./).first().waitFor();
  await again.getByRole("button", { name: "Approve once" }).tap();
  await small.getByText("Already answered.").waitFor();
  await small.getByText(/^Denied by Mira Holm/).waitFor();
  await idle(page);
  assert.ok(existsSync(join(files(), "notes", "a.txt")), "the denied command did not run");
});

world.flow("with the keyboard only: the inbox is walked and answered without a pointer", async () => {
  const context = await world.window({ user: "mira" });
  const chat = await open(context, world.server, "/");
  for (const name of ["one", "two"]) {
    await ask(chat, `run \`${danger}-${name}\``);
    await card(chat).waitFor();
  }
  const page = await open(context, world.server, "/inbox");
  const rows = page.getByRole("list", { name: "Things in the inbox" }).getByRole("button");
  await rows.nth(1).waitFor();
  await card(page).getByText(`${danger}-two`).first().waitFor();
  await page.keyboard.press("j");
  await card(page).getByText(`${danger}-one`).first().waitFor();
  await page.keyboard.press("a");
  await page.keyboard.press("Enter");
  await card(page).getByText(/^Approved by Mira Holm, \d\d:\d\d\./).waitFor();
  await page.keyboard.press("k");
  await card(page).getByText(`${danger}-two`).first().waitFor();
  await page.keyboard.press("r");
  await page.keyboard.type("Keep them");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await card(page).getByText(/“Keep them”/).waitFor();
  await page.goto(world.server.url("/inbox"));
  await shown(page, "/inbox");
  await page.getByText("Nothing needs you").waitFor();
});
