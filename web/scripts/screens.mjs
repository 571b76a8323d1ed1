// Looks at every page in both themes and three widths with the fixture server, and runs axe on each.
// Usage: node scripts/screens.mjs [pages] [looks], both patterns, such as "^chat" "dark-phone"; pictures land in .screens/.
import { mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { createServer } from "vite";

process.env.VITE_FIXTURES = "1";
const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = new RegExp(process.argv[2] ?? "");
const looks = new RegExp(process.argv[3] ?? "");
const axe = await readFile(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
await mkdir(`${root}/.screens`, { recursive: true });

const server = await createServer({ root, server: { port: 0 }, logLevel: "error" });
await server.listen();
const base = server.resolvedUrls.local[0].replace(/\/$/, "");

const pages = {
  setup: { path: "/setup?fresh#code=ABCD-1234" },
  "setup-model": { path: "/setup?fresh#code=ABCD-1234", act: createAccount },
  login: { path: "/login?out" },
  totp: { path: "/login?out", act: signInTotp },
  overview: { path: "/" },
  "overview-fresh": { path: "/?as=operator" },
  "chat-new": { path: "/chat" },
  chat: { path: "/chat/conv_010" },
  "chat-drawer": { path: "/chat/conv_010", act: (page) => page.keyboard.press("]") },
  "chat-failed": { path: "/chat/conv_011" },
  "chat-stream": { path: "/chat", act: send },
  "chat-all": { path: "/chat/all" },
  "chat-viewer": { path: "/chat/conv_010?as=viewer" },
  reconnecting: { path: "/chat/conv_010?offline", act: (page) => page.waitForTimeout(2600) },
  palette: { path: "/chat/conv_010", act: openPalette },
  help: { path: "/", act: (page) => page.keyboard.press("?") },
  account: { path: "/settings/account" },
  totpdialog: {
    path: "/settings/account",
    act: (page) => page.getByRole("button", { name: "Turn on" }).click(),
  },
  users: { path: "/settings/users" },
  keys: { path: "/settings/keys" },
  keycreate: { path: "/settings/keys?create=true" },
  workspaces: { path: "/settings/workspaces" },
  audit: { path: "/settings/audit" },
  jobs: { path: "/settings/jobs" },
  backup: { path: "/settings/backup" },
  config: { path: "/settings/config" },
  appearance: { path: "/settings/appearance" },
  keyboard: { path: "/settings/keyboard" },
  health: { path: "/settings/health" },
  costs: { path: "/costs" },
  "costs-hours": { path: "/costs?step=hour&by=model" },
  "costs-table": {
    path: "/costs",
    act: (page) => page.getByRole("button", { name: "Show as a table" }).click(),
  },
  "costs-empty": { path: "/costs?unused" },
  "costs-viewer": { path: "/costs/budgets?as=viewer" },
  "costs-budgets": { path: "/costs/budgets" },
  "costs-budget-new": { path: "/costs/budgets?create=true" },
  "costs-rates": { path: "/costs/rates" },
  "costs-records": { path: "/costs/records" },
  "costs-record": {
    path: "/costs/records?agent=code",
    act: (page) => page.locator("[data-row='2']").click(),
  },
};

async function createAccount(page) {
  await page.getByLabel("Your name").fill("Mira Kessler");
  await page.locator("input[autocomplete=new-password]").fill("a quiet harbour at 6am");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Where should answers").waitFor();
}

async function signInTotp(page) {
  await page.getByLabel("User name").fill("totp");
  await page.locator("input[autocomplete=current-password]").fill("whatever it is");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("Code", { exact: true }).waitFor();
}

async function send(page) {
  await page.getByLabel("Message", { exact: true }).fill("Show me the fix");
  await page.keyboard.press("Enter");
  await page.locator(".caret").first().waitFor();
  await page.waitForTimeout(1500);
}

async function openPalette(page) {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("se");
  await page.waitForTimeout(200);
}

const sizes = { desktop: [1440, 900], tablet: [820, 1100], phone: [390, 844] };
const browser = await chromium.launch({
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
let problems = 0;
for (const [name, { path, act }] of Object.entries(pages)) {
  if (!wanted.test(name)) continue;
  for (const theme of ["dark", "light"]) {
    for (const [size, [width, height]] of Object.entries(sizes)) {
      if (!looks.test(`${theme}-${size}`)) continue;
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      const label = `${name} ${theme} ${size}`;
      page.on("pageerror", (error) => report(label, `page error: ${error.message}`));
      page.on("console", (line) => line.type() === "error" && report(label, line.text()));
      try {
        await page.goto(base + path, { waitUntil: "networkidle" });
        await page.locator("h1").first().waitFor({ state: "attached" });
        await act?.(page);
        await page.waitForTimeout(250);
        await page.screenshot({ path: `${root}/.screens/${name}-${theme}-${size}.png` });
        await page.evaluate(axe);
        const result = await page.evaluate(() =>
          globalThis.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }),
        );
        for (const found of result.violations)
          report(
            label,
            `${found.id}: ${found.nodes
              .map((node) => node.target.join(" "))
              .slice(0, 3)
              .join(" | ")}`,
          );
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        if (wide) report(label, "scrolls sideways");
      } catch (error) {
        report(label, error.message.split("\n")[0]);
      }
      await context.close();
    }
  }
}
function report(label, text) {
  problems++;
  console.log(`${label}: ${text}`);
}
await browser.close();
await server.close();
console.log(`${problems} problems`);
process.exit(problems > 0 ? 1 : 0);
