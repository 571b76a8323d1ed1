// Everything without a pointer: the palette, the keyboard map, a chat, and where the focus goes.
import assert from "node:assert/strict";
import { composer, connected, open, settled, shown, suite } from "./kit.mjs";

const world = suite();
const palette = (page) => page.getByRole("dialog", { name: "Search or run a command" });

/** What has the focus, and whether one can see that it has: by an outline, or as a field by its edge. */
async function focus(page) {
  return await page.evaluate(() => {
    const at = document.activeElement;
    const style = getComputedStyle(at);
    const box = at.closest(".box") ?? at;
    const ring = (node) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(node);
      return (outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1) || boxShadow !== "none";
    };
    return {
      tag: at.tagName.toLowerCase(),
      name: at.getAttribute("aria-label") ?? at.textContent?.trim().slice(0, 60),
      lost: at === document.body,
      inDialog: at.closest("[role=dialog]") !== null,
      visible: ring(at) || ring(box) || (at.labels ? [...at.labels].some(ring) : false),
      outline: `${style.outlineStyle} ${style.outlineWidth}`,
    };
  });
}

/** Waits until the focus is on something of this name; it comes back just after a dialog is gone. */
async function focused(page, name) {
  await page.waitForFunction((wanted) => {
    const at = document.activeElement;
    return at !== document.body && (at?.getAttribute("aria-label") ?? at?.textContent?.trim())?.startsWith(wanted);
  }, name);
}

world.flow("the command palette finds by letters and runs with Enter", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/");
  await page.keyboard.press("Control+k");
  const box = palette(page).getByRole("combobox");
  await box.waitFor();
  assert.ok(await box.evaluate((node) => node === document.activeElement), "one can type at once");
  await page.keyboard.type("apik");
  const first = palette(page).getByRole("option").first();
  await first.getByText("API keys").or(first.getByText("Create an API key")).first().waitFor();
  await page.keyboard.press("Escape");
  await palette(page).waitFor({ state: "detached" });

  await page.keyboard.press("Control+k");
  await box.fill("adlg");
  await palette(page).getByRole("option", { name: "Audit log" }).waitFor();
  await page.keyboard.press("Enter");
  await shown(page, "/settings/audit");

  await page.keyboard.press("Control+k");
  await box.fill("> light");
  await palette(page).getByRole("option", { selected: true }).getByText("Use the light theme").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");

  await page.keyboard.press("Control+k");
  await box.fill("zzzqqq");
  await palette(page).getByText("Nothing matches “zzzqqq”.").waitFor();
  await box.fill("");
  const options = palette(page).getByRole("option");
  await palette(page).getByRole("group", { name: "Recent" }).waitFor();
  await page.keyboard.press("ArrowDown");
  assert.equal(await options.nth(1).getAttribute("aria-selected"), "true");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await options.last().getAttribute("aria-selected"), "true", "it goes round");
});

world.flow("the keyboard map: [ ? C and G with a letter, and none of them while typing", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/");
  const rail = page.locator(".app.rail");
  await page.keyboard.press("[");
  await rail.waitFor();
  await page.keyboard.press("[");
  await rail.waitFor({ state: "detached" });
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await shown(page, "/settings");
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await shown(page, "/");
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await shown(page, "/chat");
  await page.waitForFunction(() => document.activeElement?.matches("textarea"));
  await page.keyboard.type("c?[gs");
  assert.equal(await composer(page).inputValue(), "c?[gs", "in a field, keys are text");
  assert.equal(new URL(page.url()).pathname, "/chat");
  await composer(page).fill("");

  await page.goto(world.server.url("/settings/appearance"));
  await page.getByRole("switch", { name: "Single-key shortcuts" }).uncheck();
  await page.locator("main").focus();
  await page.keyboard.press("c");
  await page.keyboard.press("?");
  await page.keyboard.press("Control+k");
  await palette(page).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(new URL(page.url()).pathname, "/settings/appearance", "single keys are off");
  assert.equal(await help.count(), 0);
  await page.getByRole("switch", { name: "Single-key shortcuts" }).check();
  await page.locator("main").focus();
  await page.keyboard.press("c");
  await shown(page, "/chat");
});

world.flow("a chat by keyboard alone", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/");
  await connected(page);
  await page.keyboard.press("c");
  await page.waitForFunction(() => document.activeElement?.matches("textarea"));
  await page.getByRole("button", { name: /Say hello/, disabled: false }).waitFor();
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    const at = await focus(page);
    assert.ok(!at.lost, "the focus is never lost");
    assert.ok(at.visible, `the focus is visible on ${JSON.stringify(at)}`);
    if (at.name?.startsWith("Say hello")) break;
  }
  assert.match((await focus(page)).name, /^Say hello/, "the starters follow the composer");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/chat\/conv_/);
  const [question, answer] = await settled(page, 2);
  assert.equal(question, "Hello");
  assert.match(answer, /Say help/);

  await page.keyboard.press("Control+/");
  await page.waitForFunction(() => document.activeElement?.matches("textarea"));
  await page.keyboard.type("Show me");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("a table");
  assert.equal(await composer(page).inputValue(), "Show me\na table");
  await page.keyboard.press("Enter");
  await settled(page, 4);

  await page.keyboard.type("Write a story of 999 sentences");
  await page.keyboard.press("Enter");
  await page.locator("[role=log] article[aria-busy=true]").getByText("Word after word").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText(/^Stopped after \d+ words?$/).waitFor();
});

world.flow("dialogs hold the focus and give it back", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/settings/users");
  const add = page.getByRole("button", { name: "Add user" });
  await add.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Add user" });
  await dialog.waitFor();
  await page.waitForFunction(() => document.activeElement?.closest("[role=dialog]"));
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    const at = await focus(page);
    assert.ok(at.inDialog, `the focus left the dialog: ${JSON.stringify(at)}`);
    assert.ok(at.visible, `the focus is visible on ${JSON.stringify(at)}`);
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await focused(page, "Add user");

  await page.getByRole("button", { name: /Mira Holm/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.closest("[role=menu]"));
  for (let i = 0; i < 6 && !(await focus(page)).name?.startsWith("Keyboard shortcuts"); i++) {
    // A menu moves the focus just after the key.
    const before = await page.evaluateHandle(() => document.activeElement);
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction((was) => document.activeElement !== was, before);
  }
  await focused(page, "Keyboard shortcuts");
  await page.keyboard.press("Enter");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await focused(page, "Mira Holm");

  await page.goto(world.server.url("/"));
  await shown(page, "/");
  await page.keyboard.press("Tab");
  assert.equal((await focus(page)).name, "Skip to content", "the first stop skips the menu");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "main");
});

world.flow("rows of a list move with J and K and open with Enter", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/settings/audit");
  const rows = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
  await rows.nth(1).waitFor();
  await rows.first().focus();
  await page.keyboard.press("j");
  assert.ok(await rows.nth(1).evaluate((node) => node === document.activeElement));
  await page.keyboard.press("k");
  assert.ok(await rows.nth(0).evaluate((node) => node === document.activeElement));
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.matches("tbody tr"));
});
