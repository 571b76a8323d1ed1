// Every page in both themes, on a desk and on a phone: axe finds nothing, nothing scrolls sideways.
import assert from "node:assert/strict";
import { axeFindings, desktop, open, phone, Server, shown, suite } from "./kit.mjs";
import { calm, fill, pages } from "./pages.mjs";

const world = suite();

/** What is wrong with a page as it is shown now. Only colours can differ between the themes of one page. */
async function faults(page, label, theme = "light") {
  await calm(page);
  const found = await axeFindings(page, theme === "dark" ? ["color-contrast"] : undefined);
  const wide = await sideways(page);
  const headings = await page.locator("h1").count();
  return [
    ...found.map((text) => `${label}: ${text}`),
    ...(wide ? [`${label}: scrolls sideways`] : []),
    ...(headings === 1 ? [] : [`${label}: ${headings} main headings`]),
  ];
}

const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

/** Goes to a page as a link does: loading the whole program for each of them would take most of the time. */
async function go(page, path) {
  const { pathname, search } = new URL(page.url());
  if (pathname + search === path) return;
  await page.evaluate((to) => {
    delete document.documentElement.dataset.ready;
    history.pushState(null, "", to);
  }, path);
  await shown(page, path.split("?")[0]);
}

/** Walks over every page in one size and gives what is wrong. */
async function walk(chat, size, viewport) {
  const context = await world.window({ user: "mira", viewport });
  const found = [];
  const page = await open(context, world.server, "/");
  for (const [name, path] of Object.entries(pages)) {
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme });
      if (theme === "light") await go(page, path.replace(":chat", chat));
      await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
      await page.locator("h1").first().waitFor();
      found.push(...(await faults(page, `${name} ${theme} ${size}`, theme)));
    }
    if (size === "phone") {
      await page.setViewportSize({ width: 320, height: 640 });
      await calm(page);
      if (await sideways(page)) found.push(`${name} at 320 pixels: scrolls sideways`);
      await page.setViewportSize(viewport);
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
        found.push(...(await faults(page, `${name} ${theme} ${size}`, theme)));
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
    }
  } else {
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("dialog", { name: "More" }).waitFor();
    found.push(...(await faults(page, `more ${size}`)));
  }
  return found;
}

const everyPage = async () => {
  const context = await world.window({ user: "mira" });
  const chat = await fill(context, world.server);
  const found = await Promise.all([walk(chat, "desktop", desktop), walk(chat, "phone", phone)]);
  assert.deepEqual(found.flat(), []);
};
world.flow("every page on a desktop and on a phone, light and dark: axe finds nothing", everyPage, { timeout: 600_000 });

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
        found.push(...(await faults(page, `setup ${colorScheme} ${viewport.width}`, colorScheme)));
        await page.goto(world.server.url("/login"));
        await page.getByLabel("User name").waitFor();
        found.push(...(await faults(page, `login ${colorScheme} ${viewport.width}`, colorScheme)));
        await page.goto(world.server.url("/nothing/here"));
        await page.getByText("There is nothing at this address").last().waitFor();
        found.push(...(await faults(page, `not found ${colorScheme} ${viewport.width}`, colorScheme)));
      }
      await context.close();
    }
  } finally {
    await fresh.remove();
  }
  assert.deepEqual(found, []);
});

world.flow("the check itself: axe and the ruler see a fault when there is one", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/");
  await page.evaluate(() => {
    document.querySelector("main").insertAdjacentHTML("afterbegin", "<button></button><p id='pale'>Too pale to read</p>");
    document.querySelector("#pale").style.color = getComputedStyle(document.body).backgroundColor;
    document.body.style.width = "3000px";
  });
  const found = await faults(page, "overview");
  assert.ok(found.some((text) => text.includes("button-name")), String(found));
  assert.ok(found.some((text) => text.includes("sideways")), String(found));
  assert.ok((await axeFindings(page, ["color-contrast"])).length > 0);
});
