// Checks what no linter knows: imports go down, features stay apart, colours live in one file, words in one catalogue.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

const src = fileURLToPath(new URL("src", import.meta.url));
const steps = ["app", "features", "live", "ui", "api", "lib"];
const problems = [];
/** The part that styles a class, and the classes that are added to others. */
const styled = new Map();
const worn = [];

const files = readdirSync(src, { recursive: true })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => /\.(ts|tsx|css)$/.test(name));

for (const name of files) {
  const text = readFileSync(join(src, name), "utf8");
  const say = (index, what) =>
    problems.push(`src/${name}:${text.slice(0, index).split("\n").length}: ${what}`);
  colours(name, text, say);
  if (name.endsWith(".css")) {
    classes(name, text, say);
    continue;
  }
  imports(name, text, say);
  primitives(name, text, say);
  fetched(name, text, say);
  if (!isTest(name) && name !== "api/schema.ts") {
    urls(name, text, say);
    sayings(name, text, say);
  }
}

function isTest(name) {
  return /\.test\.tsx?$/.test(name) || name.startsWith("fixtures/");
}

function colours(name, text, say) {
  if (name === "styles/tokens.css" || name === "api/schema.ts") return;
  for (const match of text.matchAll(/#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b/gi)) {
    if (!/[\w&/]/.test(text[match.index - 1] ?? ""))
      say(match.index, `the colour ${match[0]} belongs in tokens.css`);
  }
}

/**
 * Styles of all pages one has been to stay, so a class is styled by one part only: it would look different depending on
 * the way one came. Variants of another part's class count too.
 */
function classes(name, text, say) {
  if (name.startsWith("styles/")) return;
  const rules = text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "));
  for (const match of rules.matchAll(/(?<=[{},]\s*)((?:\.[\w-]+)+)\s*(?=[,{])/g)) {
    const [first, ...variants] = match[1].slice(1).split(".");
    if (variants.length > 0) {
      for (const one of variants) worn.push({ one, name, index: match.index, say });
      continue;
    }
    const other = styled.get(first);
    if (other && other !== name) say(match.index, `.${first} is styled in ${other} too`);
    styled.set(first, name);
  }
}

function imports(name, text, say) {
  const [from, feature] = name.split("/");
  for (const match of text.matchAll(/(?:from|import\(|import)\s*"([^"]+)"/g)) {
    const to = inside(name, match[1]);
    if (!to || !steps.includes(from)) continue;
    const [step, other] = to.split("/");
    if (step === "fixtures" && !isTest(name)) say(match.index, "fixtures are for tests and development only");
    if (!steps.includes(step)) continue;
    if (steps.indexOf(step) < steps.indexOf(from)) say(match.index, `${from} must not import ${step}`);
    if (step === "features" && from === "features" && other !== feature)
      say(match.index, `${feature} must not import ${other}`);
  }
}

/** The path below src that an import names; undefined for packages. */
function inside(name, target) {
  if (target.startsWith("@/")) return target.slice(2);
  if (!target.startsWith(".")) return undefined;
  return relative(src, normalize(join(src, dirname(name), target))).replaceAll("\\", "/");
}

function primitives(name, text, say) {
  if (name.startsWith("ui/")) return;
  const match = /from "(radix-ui|sonner|marked|temml|mermaid|highlight\.js[^"]*)"/.exec(text);
  if (match && !/^lib\/(markdown|math)(\.test)?\.ts$/.test(name))
    say(match.index, `${match[1]} is wrapped in ui/; use that`);
}

/** Code that is fetched later is waited for while the server is away; a bare lazy() would take the page with it. */
function fetched(name, text, say) {
  if (name === "lib/on-demand.ts") return;
  const match = /\blazy\b[^;]*from "react"/.exec(text);
  if (match) say(match.index, "lazy() is wrapped in lib/on-demand.ts; use that");
}

/** Only queries.ts of a feature, the client and the connection know an address of the server. */
function urls(name, text, say) {
  if (/(^|\/)queries\.ts$/.test(name) || name.startsWith("api/") || name.startsWith("live/")) return;
  const match = /["`]\/api\/v1/.exec(text);
  if (match) say(match.index, "addresses of the server belong in a queries.ts");
}

/** Text between tags, and texts of attributes people hear, come from the catalogue. */
function sayings(name, text, say) {
  if (!name.endsWith(".tsx")) return;
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, " "));
  for (const match of code.matchAll(/(?<![=])>\s*([A-Za-z][A-Za-z ,.'’]{2,})\s*<\//g))
    say(match.index, `“${match[1].trim()}” belongs in lib/messages`);
  for (const match of code.matchAll(/\b(aria-label|title|placeholder|label|alt)="([^"]*[a-z][^"]*)"/g))
    say(match.index, `“${match[2]}” belongs in lib/messages`);
}

for (const { one, name, index, say } of worn) {
  const other = styled.get(one);
  if (other && other !== name) say(index, `.${one} is styled by itself in ${other}`);
}

if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`shape: ${files.length} files in order`);
