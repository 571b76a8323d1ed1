// Every page in both themes, on a desk and on a phone: axe finds nothing, nothing scrolls sideways.
import assert from "node:assert/strict";
import { axeFindings, desktop, open, phone, Server, suite } from "./kit.mjs";
import { calm, fill, pages } from "./pages.mjs";

const world = suite();
let chat;

/** What is wrong with a page as it is shown now. */
async function faults(page, label) {
  await calm(page);
  const found = await axeFindings(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  const headings = await page.locator("h1").count();
  return [
    ...found.map((text) => `${label}: ${text}`),
    ...(wide ? [`${label}: scrolls sideways`] : []),
    ...(headings === 1 ? [] : [`${label}: ${headings} main headings`]),
  ];
}

for (const [size, viewport] of Object.entries({ desktop, phone })) {
  world.flow(`every page on a ${size}, light and dark: axe finds nothing`, async () => {
    const context = await world.window({ user: "mira", viewport });
    chat ??= await fill(context, world.server);
    const found = [];
    const page = await open(context, world.server, "/");
    for (const [name, path] of Object.entries(pages)) {
      for (const theme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: theme });
        if (theme === "light") await page.goto(world.server.url(path.replace(":chat", chat)));
        await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
        await page.locator("h1").first().waitFor();
        found.push(...(await faults(page, `${name} ${theme} ${size}`)));
      }
    }
    if (size === "desktop") {
      const open = {
        palette: () => page.keyboard.press("Control+k"),
        help: () => page.keyboard.press("?"),
      };
      for (const [name, act] of Object.entries(open)) {
        for (const theme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme: theme });
          await act();
          await page.getByRole("dialog").waitFor();
          found.push(...(await faults(page, `${name} ${theme} ${size}`)));
          await page.keyboard.press("Escape");
          await page.getByRole("dialog").waitFor({ state: "detached" });
        }
      }
    } else {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("dialog", { name: "More" }).waitFor();
      found.push(...(await faults(page, `more ${size}`)));
    }
    assert.deepEqual(found, []);
  });
}

world.flow("set-up and sign-in, both sizes and themes: axe finds nothing", async () => {
  const found = [];
  const fresh = await Server.empty();
  try {
    for (const viewport of [desktop, phone]) {
      const context = await world.browser.newContext({ viewport, reducedMotion: "reduce" });
      const page = await context.newPage();
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await page.goto(fresh.link);
        await page.getByLabel("One-time code").waitFor();
        found.push(...(await faults(page, `setup ${colorScheme} ${viewport.width}`)));
        await page.goto(world.server.url("/login"));
        await page.getByLabel("User name").waitFor();
        found.push(...(await faults(page, `login ${colorScheme} ${viewport.width}`)));
        await page.goto(world.server.url("/nothing/here"));
        await page.getByText("There is nothing at this address").last().waitFor();
        found.push(...(await faults(page, `not found ${colorScheme} ${viewport.width}`)));
      }
      await context.close();
    }
  } finally {
    await fresh.remove();
  }
  assert.deepEqual(found, []);
});

world.flow("no page scrolls sideways at 320 pixels", async () => {
  const context = await world.window({ user: "mira", viewport: { width: 320, height: 640 } });
  const page = await open(context, world.server, "/");
  const wide = [];
  for (const path of Object.values(pages)) {
    await page.goto(world.server.url(path.replace(":chat", chat ?? "all")));
    await page.locator("h1").first().waitFor();
    await calm(page);
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wide.push(path);
  }
  assert.deepEqual(wide, []);
});

