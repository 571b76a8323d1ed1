// What every flow needs: a server, a browser, people who are signed in, and a watch for what must never happen.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { password, Server } from "./server.mjs";

const web = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = web("playwright-core");
const axe = readFileSync(web.resolve("axe-core/axe.min.js"), "utf8");

export const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };
/** Longest wait for anything a page has to show; the machine may be busy. */
export const patience = 60_000;

/** Starts headless Chromium. */
export async function launch() {
  return await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A server and a browser for the tests of one file, and the tests themselves. */
export function suite({ empty = false, env = {} } = {}) {
  const world = { server: undefined, browser: undefined, windows: [] };
  before(async () => {
    [world.server, world.browser] = await Promise.all([
      empty ? Server.empty(env) : Server.ready(env),
      launch(),
    ]);
  });
  after(async () => {
    await world.browser?.close();
    await world.server?.remove();
  });

  /** Opens a window: a browser profile of its own, watched for errors and strangers. */
  world.window = async (options = {}) => {
    const { allow = [], user, ...rest } = options;
    const small = rest.viewport?.width < 640;
    const context = await world.browser.newContext({
      viewport: desktop,
      reducedMotion: "reduce",
      hasTouch: small,
      isMobile: small,
      ...rest,
    });
    context.setDefaultTimeout(patience);
    context.watch = watch(context, world.server.origin, allow);
    world.windows.push(context);
    if (user) await signIn(context, world.server, user);
    return context;
  };

  /** Runs one flow; afterwards nothing bad may have been seen in any window it opened. */
  world.flow = (name, run, { timeout = 240_000 } = {}) =>
    test(name, { timeout }, async (t) => {
      world.windows = [];
      if (world.server?.over) await world.server.start(); // a flow that failed may have left it dead
      try {
        await run(t);
        for (const context of world.windows) assert.deepEqual(context.watch.seen, [], "what the browser complained about");
      } catch (error) {
        await picture(world.windows, name);
        if (world.server) t.diagnostic(world.server.log.slice(-2000));
        throw error;
      } finally {
        for (const context of world.windows) await context.close();
      }
    });
  return world;
}

/** Saves what the windows show, to look at after a failure. */
async function picture(windows, name) {
  let n = 0;
  for (const page of windows.flatMap((context) => context.pages())) {
    const path = join(tmpdir(), `fluxway-flow-${name.replace(/\W+/g, "-").slice(0, 60)}-${n++}.png`);
    await page.screenshot({ path, timeout: 5000 }).then(
      () => console.log(`picture of ${page.url()}: ${path}`),
      () => undefined,
    );
  }
}

// Chromium reports every refused request as an error of the page. Asking who is signed in is answered 401 to nobody.
const always = [{ text: /status of 401/, url: /\/api\/v1\/session$/ }];

/** Collects console errors, page errors, CSP violations and requests to other origins. */
function watch(context, origin, allow) {
  const seen = [];
  const expected = [...always, ...allow];
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) seen.push(`request to another origin: ${url}`);
  });
  context.on("weberror", (error) => seen.push(`page error: ${error.error().stack}`));
  context.on("console", (line) => {
    if (line.type() !== "error" && !/Content.Security.Policy/i.test(line.text())) return;
    const url = line.location().url;
    if (expected.some((one) => one.text.test(line.text()) && (one.url ?? /./).test(url))) return;
    seen.push(`console: ${line.text()} (${url})`);
  });
  return { seen, allow: (...more) => expected.push(...more) };
}

/** What the console says while the server is away. */
export const unreachable = { text: /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_FAILED|WebSocket connection|ERR_SOCKET|The server cannot be reached/ };

/** The console line of a request refused with a status. */
export const refused = (status, url) => ({ text: new RegExp(`status of ${status}`), url });

/** Signs a context in over HTTP, so that a flow begins where it wants to. */
export async function signIn(context, server, user = "mira", secret = password) {
  const answer = await context.request.post(server.url("/api/v1/session"), { data: { user, password: secret } });
  assert.equal(answer.status(), 200, await answer.text());
}

/** Opens a page of the shell and waits until it is there. */
export async function open(context, server, path) {
  const page = await context.newPage();
  await page.goto(server.url(path));
  await shown(page, path.split(/[?#]/)[0]);
  return page;
}

/** Waits until the shell shows a path. */
export async function shown(page, path) {
  await page.waitForFunction((wanted) => document.documentElement.dataset.ready === wanted, path);
}

/** Waits until the live connection is open. */
export async function connected(page) {
  await page.getByRole("link", { name: /^Connected/ }).waitFor();
}

export const composer = (page) => page.getByLabel("Message", { exact: true });
export const thread = (page) => page.getByRole("log", { name: "Messages" });
/** Answers of the agent, whole or being written. */
export const answers = (page) => thread(page).getByRole("article").filter({ hasNot: page.locator(".user-msg") });

/** Waits until no answer is being written. */
export async function idle(page) {
  await page.waitForFunction(() => document.querySelector("[role=log]")?.getAttribute("aria-busy") === "false");
}

/**
 * Waits until no answer is being written and there are so many messages, and gives their texts. The list draws only
 * what is in sight, so the window is made tall for as long as it is read.
 */
export async function settled(page, count) {
  const size = page.viewportSize();
  await idle(page);
  await page.setViewportSize({ width: size.width, height: 6000 });
  await page.waitForFunction((wanted) => {
    const log = document.querySelector("[role=log]");
    return log?.getAttribute("aria-busy") === "false" && log.querySelectorAll("article").length === wanted;
  }, count);
  const texts = await thread(page).locator(".user-msg, .prose").allInnerTexts();
  await page.setViewportSize(size);
  return texts;
}

/** Finds what axe finds on a page; `rules` narrows it to some. */
export async function axeFindings(page, rules) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const result = await page.evaluate(
    (only) =>
      globalThis.axe.run({
        runOnly: only ?? ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        resultTypes: ["violations"],
      }),
    rules,
  );
  return result.violations.map(
    ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.slice(0, 3).map((node) => node.target.join(" ")).join(" | ")}`,
  );
}

export { password, Server };
