// What a browser has to fetch, how soon it shows something, what it may keep, and the installable app.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { connected, open, refused, shown, suite, unreachable } from "./kit.mjs";

const world = suite();
const kB = (bytes) => Math.round(bytes / 100) / 10;

/** Loads a page in a fresh profile and gives what came over the wire, as Chromium counted it. */
async function load(path) {
  const context = await world.window({ user: "mira", serviceWorkers: "block" });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const files = new Map();
  cdp.on("Network.responseReceived", ({ requestId, response }) =>
    files.set(requestId, { url: response.url, type: response.mimeType, headers: response.headers, sent: 0 }),
  );
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const file = files.get(requestId);
    if (file) file.sent = encodedDataLength;
  });
  await page.addInitScript(() => {
    globalThis.paints = [];
    new PerformanceObserver((list) => globalThis.paints.push(...list.getEntries().map((entry) => entry.startTime))).observe({
      type: "largest-contentful-paint",
      buffered: true,
    });
  });
  await page.goto(world.server.url(path));
  await shown(page, path);
  await connected(page);
  return { context, page, cdp, files: [...files.values()] };
}

world.flow("a usable chat needs at most 170 kB of script, 20 kB of styles and 55 kB of fonts", async () => {
  const { page, files } = await load("/chat");
  await page.getByRole("button", { name: /Say hello/, disabled: false }).waitFor();
  const kinds = { script: /javascript/, style: /css/, font: /font|woff/ };
  const sum = (pattern, of) => files.filter((file) => pattern.test(file.type)).reduce((n, file) => n + of(file), 0);
  const sent = Object.fromEntries(Object.entries(kinds).map(([kind, type]) => [kind, sum(type, (file) => file.sent)]));
  // The budget is in gzip, whatever the server chose to send.
  let gz = 0;
  for (const file of files.filter((one) => kinds.script.test(one.type))) {
    gz += gzipSync(Buffer.from(await (await fetch(file.url)).arrayBuffer()), { level: 9 }).length;
    const encoding = file.headers["content-encoding"] ?? file.headers["Content-Encoding"] ?? "";
    if (file.sent > 1500) assert.match(encoding, /br|gzip/, `${file.url} is compressed`);
  }
  console.log(`chat: script ${kB(sent.script)} kB sent (${kB(gz)} kB gz), style ${kB(sent.style)} kB, fonts ${kB(sent.font)} kB`);
  assert.ok(gz <= 170_000, `${kB(gz)} kB of script in gzip`);
  assert.ok(sent.script <= 170_000, `${kB(sent.script)} kB of script sent, heads included`);
  assert.ok(sent.style <= 20_000, `${kB(sent.style)} kB of styles`);
  assert.ok(sent.font <= 55_000, `${kB(sent.font)} kB of fonts`);
});

world.flow("the page's thread works at most 300 ms up to a usable chat", async () => {
  const runs = [];
  for (let i = 0; i < 3; i++) {
    const { context, page, cdp } = await load("/chat");
    await page.getByRole("button", { name: /Say hello/, disabled: false }).waitFor();
    const { metrics } = await cdp.send("Performance.getMetrics");
    const spent = (wanted) => metrics.find(({ name }) => name === wanted).value * 1000;
    runs.push({
      work: spent("TaskDuration") - spent("DevToolsCommandDuration"), // what this test asked is not the page's work
      paint: await page.evaluate(() => Math.max(...globalThis.paints)),
    });
    await context.close();
  }
  const text = runs.map(({ work, paint }) => `${Math.round(paint)} ms (${Math.round(work)} ms of work)`).join(", ");
  console.log(`largest contentful paint: ${text}`);
  // Clocks on the wall depend on what else the machine does, the CPU time of the page's one thread much less. 300 ms is
  // the share of work in the budget of 1.2 s on a CPU four times slower; waiting for the server comes on top and is
  // not judged here. The best is the one least disturbed.
  const least = Math.min(...runs.map(({ work }) => work));
  assert.ok(4 * least <= 1200, text);
});

world.flow("headers: a strict policy on the page, named files are kept for ever, the page itself never", async () => {
  const page = await fetch(world.server.url("/chat"), { headers: { Accept: "text/html" } });
  const html = await page.text();
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src '(self|none)'/);
  assert.match(policy, /frame-ancestors '(self|none)'/);
  assert.match(policy, /object-src 'none'|default-src 'none'/);
  assert.match(policy, /base-uri '(none|self)'/);
  assert.doesNotMatch(policy.match(/script-src[^;]*/)?.[0] ?? policy.match(/default-src[^;]*/)[0], /unsafe|\*|https?:/);
  assert.equal(page.headers.get("x-content-type-options"), "nosniff");
  assert.match(page.headers.get("referrer-policy") ?? "", /no-referrer|same-origin|strict-origin/);
  assert.match(page.headers.get("cache-control") ?? "", /no-cache|no-store/);
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)[^>]*>/, "no script in the page itself");
  const asset = /\/assets\/[^"]+\.js/.exec(html)?.[0];
  for (const encoding of ["br", "gzip", "identity"]) {
    const answer = await fetch(world.server.url(asset), { headers: { "Accept-Encoding": encoding } });
    await answer.arrayBuffer();
    assert.match(answer.headers.get("cache-control") ?? "", /max-age=31536000.*immutable/);
    assert.match(answer.headers.get("vary") ?? "", /accept-encoding/i);
    assert.equal(answer.headers.get("content-encoding") ?? "identity", encoding);
  }
  for (const name of ["/sw.js", "/theme.js", "/manifest.webmanifest"]) {
    const answer = await fetch(world.server.url(name));
    await answer.arrayBuffer();
    assert.equal(answer.status, 200);
    assert.doesNotMatch(answer.headers.get("cache-control") ?? "", /immutable/, `${name} can change`);
  }
  assert.equal((await fetch(world.server.url("/assets/none-12345678.js"))).status, 404, "a missing file is not the page");
});

world.flow("the app can be installed: manifest, icons, a worker that never keeps answers of the API", async () => {
  const context = await world.window({ user: "mira", allow: [unreachable, refused(504), { text: /Failed to load resource/ }] });
  const page = await open(context, world.server, "/");
  const cdp = await context.newCDPSession(page);
  const { errors, data, url } = await cdp.send("Page.getAppManifest");
  assert.equal(url, world.server.url("/manifest.webmanifest"));
  assert.deepEqual(errors, []);
  const manifest = JSON.parse(data);
  assert.equal(manifest.display, "standalone");
  const sizes = new Set();
  for (const icon of manifest.icons) {
    const answer = await context.request.get(world.server.url(icon.src));
    assert.equal(answer.status(), 200, icon.src);
    assert.equal(answer.headers()["content-type"].split(";")[0], icon.type);
    const real = await page.evaluate(async (src) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, icon.src);
    if (icon.sizes !== "any") assert.equal(real, icon.sizes, icon.src);
    sizes.add(`${icon.sizes} ${icon.purpose}`);
  }
  assert.ok(sizes.has("192x192 any") && sizes.has("512x512 any") && sizes.has("512x512 maskable"));
  const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors");
  assert.deepEqual(installabilityErrors.filter((one) => one.errorId !== "in-incognito"), []);

  const scope = await page.evaluate(() => navigator.serviceWorker.ready.then((one) => one.scope));
  assert.equal(scope, world.server.url("/"));
  await page.reload();
  await shown(page, "/");
  assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null), "the worker is in charge");
  await page.goto(world.server.url("/settings/users"));
  await shown(page, "/settings/users");
  await page.getByRole("table").waitFor();
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return lists.flat().map((request) => new URL(request.url).pathname);
  });
  assert.ok(kept.includes("/") && kept.some((path) => path.startsWith("/assets/")), "the shell is kept");
  assert.deepEqual(kept.filter((path) => !/^\/$|^\/assets\//.test(path)), [], "and nothing else");

  await world.server.kill();
  const answer = await page.evaluate(() => fetch("/api/v1/users").then((one) => one.status, () => "unreachable"));
  assert.equal(answer, "unreachable", "without a server the API is absent, not old");
  await page.goto(world.server.url("/settings/users"));
  await page.getByText("The server cannot be reached.").waitFor();
  await world.server.start();
});
