// Formulas and diagrams of an answer: drawn when they are whole, by code that is fetched for them only, harmless
// whatever they say.
import assert from "node:assert/strict";
import { answers, axeFindings, composer, idle, open, phone, settled, suite, thread } from "./kit.mjs";

const world = suite();

const say = async (page, text) => {
  await composer(page).fill(text);
  await page.keyboard.press("Enter");
};

/** A chat as it is exported, whose one answer is given. */
const imported = async (context, text) => {
  const at = new Date(Date.UTC(2026, 0, 1)).toISOString();
  const id = (n) => `msg_01${String(n).padStart(24, "0")}`;
  const message = (n, role, said) => ({
    id: id(n),
    conversation: `conv_01${"0".repeat(24)}`,
    ...(n > 0 ? { parent: id(n - 1) } : {}),
    role,
    author: role === "user" ? "mira" : "assistant",
    state: "complete",
    parts: [{ kind: "text", text: said }],
    created_at: at,
  });
  const made = await context.request.post(world.server.url("/api/v1/conversations/import"), {
    data: {
      format: "fluxway.conversation",
      version: 1,
      exported_at: at,
      title: "Imported",
      agent: "assistant",
      head: id(1),
      created_at: at,
      messages: [message(0, "user", "Show me"), message(1, "assistant", text)],
    },
  });
  assert.equal(made.status(), 201, await made.text());
  return (await made.json()).id;
};

/** Nothing a page does may break the policy; what would is collected. */
const violations = async (context) => {
  const seen = [];
  await context.exposeFunction("violated", (what) => seen.push(what));
  await context.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", (event) =>
      globalThis.violated(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    ),
  );
  return seen;
};

const pixels = (picture) => picture.evaluate(async (image) => (await image.decode(), image.naturalWidth * image.clientHeight));

world.flow("formulas and diagrams are drawn, and their code is fetched only for them", async () => {
  const context = await world.window({ user: "mira", colorScheme: "dark" });
  const seen = await violations(context);
  const scripts = [];
  context.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
  const page = await open(context, world.server, "/chat");
  await say(page, "show a table");
  await answers(page).getByRole("table").waitFor();
  await idle(page);
  assert.deepEqual(scripts.filter((url) => /formula|diagram|mermaid/i.test(url)), [], "a table needs no formulas");

  await say(page, "show me a formula");
  await thread(page).locator("math").nth(3).waitFor();
  await idle(page);
  assert.equal(await thread(page).locator("math").count(), 4);
  assert.equal(await thread(page).locator("math[display=block]").count(), 2);
  assert.ok(await thread(page).locator("mfrac").first().evaluate((one) => one.namespaceURI.endsWith("MathML") && one.getBoundingClientRect().height > 20));
  await thread(page).getByText("Prices such as $5 and $10 stay what they are.").waitFor();
  assert.ok(scripts.some((url) => /formula/.test(url)) && !scripts.some((url) => /diagram/i.test(url)));

  await say(page, "draw a diagram");
  const picture = thread(page).getByRole("img", { name: "Diagram" });
  await picture.waitFor();
  await idle(page);
  assert.ok((await pixels(picture)) > 10_000, "the picture has content");
  const dark = await picture.getAttribute("src");
  await page.emulateMedia({ colorScheme: "light" });
  await page.waitForFunction((before) => document.querySelector(".diagram img").src !== before, dark);
  await thread(page).getByRole("button", { name: "Show source" }).click();
  await thread(page).getByText("flowchart LR").waitFor();
  await thread(page).getByRole("button", { name: "Show diagram" }).click();
  await thread(page).getByRole("button", { name: "Show larger" }).click();
  await page.getByRole("dialog", { name: "Diagram" }).waitFor();
  assert.deepEqual(await axeFindings(page), []);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await thread(page).getByRole("button", { name: "Copy the diagram's source" }).click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^flowchart LR\n/);
  assert.deepEqual(await axeFindings(page), []);
  assert.equal((await settled(page, 6)).length, 6, "each message is there once");
  assert.deepEqual(seen, [], "the policy of the page was kept");
});

world.flow("whatever formulas and diagrams say, nothing runs, opens or is fetched", async () => {
  const context = await world.window({ user: "mira", viewport: phone });
  const seen = await violations(context);
  const hostile = [
    "$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://evil.test/a.png}$ $$\\class{dialog}{y} \\style{position:fixed}{z}$$",
    "$$\n\\frac{1}{\n$$",
    '```mermaid\nflowchart LR\n  a["<img src=x onerror=alert(1)>"] --> b\n  click a "javascript:alert(1)" "go"\n  click b call alert(1)\n```',
    '```mermaid\n%%{init: {"securityLevel": "loose", "themeCSS": "* { background: url(https://evil.test/css) }", "htmlLabels": true}}%%\nflowchart LR\n  c["<a href=\'javascript:alert(1)\'>c</a><script>alert(1)</script>"] --> d\n```',
    "```mermaid\nflowchart LR\n  e --> f\n  style e fill:url(https://evil.test/b)\n```",
    "```mermaid\nflowchart LR\n  this is --- no ]] diagram\n```",
    "It costs $5 and $10.",
  ];
  const id = await imported(context, hostile.join("\n\n"));
  const page = await open(context, world.server, `/chat/${id}`);
  await page.setViewportSize({ width: phone.width, height: 4000 });
  await thread(page).getByText("This diagram cannot be drawn.").nth(1).waitFor();
  await thread(page).getByText("This formula cannot be drawn.").first().waitFor();
  await thread(page).getByRole("img", { name: "Diagram" }).nth(1).waitFor();
  for (const text of ["\\frac{1}{", "this is --- no ]] diagram", "It costs $5 and $10."]) await thread(page).getByText(text).waitFor();
  const found = await page.evaluate(() => ({
    links: [...document.querySelectorAll("[role=log] a, [role=log] script, [role=log] svg a")].length,
    drawings: document.querySelectorAll("body > .drawing, body > [id^=d]").length,
    wide: document.documentElement.scrollWidth > innerWidth,
  }));
  assert.deepEqual(found, { links: 0, drawings: 0, wide: false });
  assert.deepEqual(seen, [], "nothing was even tried");
});
