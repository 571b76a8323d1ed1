// Fails when the first load grows over its budget. Sizes are gzip, as the server sends them at worst.
import { readdir, readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url);
const manifest = JSON.parse(await readFile(new URL("../node_modules/.vite-manifest.json", dist), "utf8"));
const entry = "index.html";
const chat = ["src/app/pages/chat/new-page.tsx", "src/app/pages/chat/thread-page.tsx"];
const budget = { chat: 170, route: 90, diagram: 320, css: 20, fonts: 55 };

/** Diagrams are drawn by a large package, loaded in pieces when an answer holds one: all pieces of a common one count. */
const drawing = /(^|\/)(mermaid|@mermaid-js)\/|^src\/ui\/diagram\.tsx$/;
const flowchart = /^src\/ui\/diagram\.tsx$|\/(flowDiagram|dagre)-/;

const gz = async (file) => gzipSync(await readFile(new URL(file, dist)), { level: 9 }).length / 1000;

/** A module and everything it loads with it, as file names. */
function filesOf(name, found = new Set(), styles = new Set()) {
  const chunk = manifest[name];
  if (!chunk || found.has(chunk.file)) return { found, styles };
  if (chunk.file.endsWith(".js")) found.add(chunk.file);
  for (const css of chunk.css ?? []) styles.add(css);
  for (const next of chunk.imports ?? []) filesOf(next, found, styles);
  return { found, styles };
}

const sum = async (files) => (await Promise.all([...files].map(gz))).reduce((a, b) => a + b, 0);
const failures = [];
const check = (what, size, limit) => {
  console.log(`${what.padEnd(44)} ${size.toFixed(1).padStart(7)} kB of ${limit}`);
  if (size > limit) failures.push(what);
};

const shell = filesOf(entry);
const first = new Set(shell.found);
for (const page of chat) for (const file of filesOf(page).found) first.add(file);
check("JS to the shell", await sum(shell.found), budget.chat);
check("JS to a usable chat", await sum(first), budget.chat);
for (const [name, chunk] of Object.entries(manifest)) {
  if (!chunk.isDynamicEntry || chat.includes(name) || drawing.test(name)) continue;
  const extra = [...filesOf(name).found].filter((file) => !shell.found.has(file));
  check(`  + ${name.replace("src/app/", "")}`, await sum(extra), budget.route);
}
const drawn = Object.keys(manifest).filter((name) => flowchart.test(name));
const pieces = new Set(drawn.flatMap((name) => [...filesOf(name).found]).filter((file) => !first.has(file)));
if (drawn.length !== 3) failures.push("the three pieces of a flowchart");
check("JS to a first diagram", await sum(pieces), budget.diagram);
check("CSS", await sum(shell.styles), budget.css);
const html = await readFile(new URL("index.html", dist), "utf8");
const fonts = [...html.matchAll(/href="\/(assets\/[^"]+\.woff2)"/g)].map((match) => match[1]);
const bytes = await Promise.all(
  fonts.map(async (file) => (await readFile(new URL(file, dist))).length / 1000),
);
if (fonts.length !== 2) failures.push("two preloaded fonts");
check(
  "preloaded fonts",
  bytes.reduce((a, b) => a + b, 0),
  budget.fonts,
);
const all = await readdir(dist, { recursive: true });
if (all.some((name) => /fixture/i.test(name))) failures.push("fixtures are in the production bundle");
if (failures.length > 0) {
  console.error(`over budget: ${failures.join(", ")}`);
  process.exit(1);
}
