// Pictures of every page in both themes, on a desk and on a phone, from the real program: make shots
// They are written to docs/pictures; with a word as argument only pictures whose name contains it.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { desktop, launch, phone, Server, signIn } from "./flows/kit.mjs";
import { calm, fill, pages, tracePages } from "./flows/pages.mjs";

const out = new URL("../docs/pictures/", import.meta.url);
const wanted = process.argv[2] ?? "";
const sizes = { "": desktop, "phone-": phone };

let drawing;

mkdirSync(out, { recursive: true });
const [empty, server, browser] = await Promise.all([Server.empty(), Server.ready(), launch()]);
try {
  for (const [prefix, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ["dark", "light"]) {
      await strangers(prefix, viewport, colorScheme);
      await signedIn(prefix, viewport, colorScheme);
    }
  }
} finally {
  await browser.close();
  await Promise.all([empty.remove(), server.remove()]);
}

async function profile(viewport, colorScheme) {
  const small = viewport.width < 640;
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce", hasTouch: small, isMobile: small });
  context.setDefaultTimeout(60_000);
  return context;
}

/** The pages for people who are not signed in. */
async function strangers(prefix, viewport, theme) {
  const context = await profile(viewport, theme);
  const page = await context.newPage();
  await page.goto(empty.link);
  await page.getByLabel("Your name").fill("Mira Holm");
  await page.locator("input[autocomplete=new-password]").fill("a quiet harbour at 6am");
  await shoot(page, `${prefix}setup-${theme}`);
  await page.goto(server.url("/login"));
  await page.getByLabel("User name").waitFor();
  await shoot(page, `${prefix}login-${theme}`);
  await context.close();
}

async function signedIn(prefix, viewport, theme) {
  const context = await profile(viewport, theme);
  await signIn(context, server);
  server.chat ??= await fill(context, server);
  const page = await context.newPage();
  for (const [name, path] of Object.entries({ ...pages, ...(await tracePages(context, server)) })) {
    const file = `${prefix}${path.startsWith("/settings/") ? (name === "account" ? "settings" : `settings-${name}`) : name}-${theme}`;
    // Settings are the same tables on a phone; one of them stands for all.
    if (prefix && file.includes("settings-")) continue;
    if (!file.includes(wanted)) continue;
    await page.goto(server.url(path.replace(":chat", server.chat)));
    await page.locator("h1").first().waitFor();
    await page.locator('a[href="/inbox"] .badge').first().waitFor(); // comes last, once the page is quiet
    await shoot(page, file);
  }
  await context.close();
}

async function shoot(page, name) {
  if (!name.includes(wanted)) return;
  await calm(page);
  const path = new URL(`${name}.webp`, out);
  writeFileSync(path, await small(await page.screenshot({ caret: "hide" })));
  console.log(`${name}.webp ${Math.ceil(statSync(path).size / 1000)} kB`);
}

/** The picture as Chromium writes it in WebP: a fraction of a PNG, and sharp enough for a document. */
async function small(png) {
  const page = (drawing ??= await (await browser.newContext()).newPage());
  const url = await page.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    // A desk is shown at three quarters: all of it is read, and all pictures together stay small.
    const scale = Math.min(1, 1080 / image.width);
    const canvas = new OffscreenCanvas(Math.round(image.width * scale), Math.round(image.height * scale));
    const pen = canvas.getContext("2d");
    pen.imageSmoothingQuality = "high";
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.45 });
    return await new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.readAsDataURL(blob);
    });
  }, `data:image/png;base64,${png.toString("base64")}`);
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}
