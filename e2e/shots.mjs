// Pictures of every page in both themes, on a desk and on a phone, from the real program: make shots
// They are written to docs/pictures; with a word as argument only pictures whose name contains it.
import { mkdirSync, writeFileSync } from "node:fs";
import { desktop, launch, phone, Server, signIn } from "./flows/kit.mjs";
import { calm, fill, pages, tracePages } from "./flows/pages.mjs";

const out = new URL("../docs/pictures/", import.meta.url);
const wanted = process.argv[2] ?? "";
const sizes = { "": desktop, "phone-": phone };
const themes = ["dark", "light"];
/** Pages that are walked at the same time: while one waits for its data, another is drawn. */
const tabs = 4;

mkdirSync(out, { recursive: true });
const [empty, server, browser] = await Promise.all([Server.empty(), Server.ready(), launch()]);
try {
  await strangers();
  const contexts = await Promise.all(Object.values(sizes).map(profile));
  for (const context of contexts) await signIn(context, server);
  const chat = await fill(contexts[0], server);
  const all = { ...pages, ...(await tracePages(contexts[0], server)) };
  for (const [i, prefix] of Object.keys(sizes).entries()) await walk(contexts[i], prefix, all, chat);
} finally {
  await browser.close();
  await Promise.all([empty.remove(), server.remove()]);
}

async function profile(viewport) {
  const small = viewport.width < 640;
  const context = await browser.newContext({ viewport, reducedMotion: "reduce", hasTouch: small, isMobile: small });
  context.setDefaultTimeout(60_000);
  return context;
}

/** The pages for people who are not signed in. */
async function strangers() {
  for (const [prefix, viewport] of Object.entries(sizes)) {
    const context = await profile(viewport);
    const page = await context.newPage();
    await page.goto(empty.link);
    await page.getByLabel("Your name").fill("Mira Holm");
    await page.locator("input[autocomplete=new-password]").fill("a quiet harbour at 6am");
    await shoot(page, `${prefix}setup`);
    await page.goto(server.url("/login"));
    await page.getByLabel("User name").waitFor();
    await shoot(page, `${prefix}login`);
    await context.close();
  }
}

/** The pages of the shell, several at a time; each tab loads the program once and goes on inside it. */
async function walk(context, prefix, all, chat) {
  const left = Object.entries(all)
    .map(([name, path]) => ({ name: `${prefix}${nameOf(name, path)}`, path: path.replace(":chat", chat) }))
    // Settings are the same tables on a phone; one of them stands for all.
    .filter(({ name }) => named(name) && !(prefix && name.includes("settings-")));
  await Promise.all(
    Array.from({ length: tabs }, async () => {
      let page;
      for (let one = left.shift(); one; one = left.shift()) {
        if (page) await page.evaluate((path) => history.pushState({}, "", path), one.path);
        else page = await begin(context, one.path);
        await page.arrived();
        await page.locator("h1").first().waitFor();
        await page.locator('a[href="/inbox"] .badge').first().waitFor(); // comes last, once the page is quiet
        await shoot(page, one.name);
      }
    }),
  );
  await context.close();
}

function nameOf(name, path) {
  if (!path.startsWith("/settings/")) return name;
  return name === "account" ? "settings" : `settings-${name}`;
}

/** Whether one of a page's pictures is wanted. */
function named(name) {
  return themes.some((theme) => `${name}-${theme}`.includes(wanted));
}

/** Opens a tab that knows when everything it asked for has come. */
async function begin(context, path) {
  const page = await context.newPage();
  const open = new Set();
  let last = 0;
  const asked = (request) => {
    open.add(request);
    last = performance.now();
  };
  const answered = (request) => {
    open.delete(request);
    last = performance.now();
  };
  page.on("request", asked);
  page.on("requestfinished", answered);
  page.on("requestfailed", answered);
  const quiet = 150; // what is asked because of an answer is asked by then
  page.arrived = async () => {
    last = performance.now();
    while (open.size > 0 || performance.now() - last < quiet) await new Promise((done) => setTimeout(done, 30));
  };
  await page.goto(server.url(path));
  return page;
}

/** Pictures of what a page shows, one for each theme. Chromium writes WebP: a fraction of a PNG, and sharp enough for a document. */
async function shoot(page, name) {
  if (!named(name)) return;
  const cdp = await page.context().newCDPSession(page);
  const { width, height } = page.viewportSize();
  // A desk is shown at three quarters: all of it is read, and all pictures together stay small.
  const clip = { x: 0, y: 0, width, height, scale: Math.min(1, 1080 / width) };
  for (const theme of themes) {
    if (!`${name}-${theme}`.includes(wanted)) continue;
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.waitForFunction((wish) => document.documentElement.dataset.theme === wish, theme);
    await calm(page);
    const { data } = await cdp.send("Page.captureScreenshot", { format: "webp", quality: 45, clip });
    const bytes = Buffer.from(data, "base64");
    writeFileSync(new URL(`${name}-${theme}.webp`, out), bytes);
    console.log(`${name}-${theme}.webp ${Math.ceil(bytes.length / 1000)} kB`);
  }
  await cdp.detach();
}
