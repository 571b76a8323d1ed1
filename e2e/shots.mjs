// Pictures of every page in both themes, on a desk and on a phone, from the real program: make shots
// They are written to docs/pictures; with a word as argument only pictures whose name contains it.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { deflateSync, inflateSync } from "node:zlib";
import { desktop, launch, phone, Server, signIn } from "./flows/kit.mjs";
import { calm, fill, pages } from "./flows/pages.mjs";

const out = new URL("../docs/pictures/", import.meta.url);
const wanted = process.argv[2] ?? "";
const sizes = { "": desktop, "phone-": phone };

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
  for (const [name, path] of Object.entries(pages)) {
    const file = `${prefix}${path.startsWith("/settings/") ? (name === "account" ? "settings" : `settings-${name}`) : name}-${theme}`;
    if (!file.includes(wanted)) continue;
    await page.goto(server.url(path.replace(":chat", server.chat)));
    await page.locator("h1").first().waitFor();
    await shoot(page, file);
  }
  await context.close();
}

async function shoot(page, name) {
  if (!name.includes(wanted)) return;
  await calm(page);
  const path = new URL(`${name}.png`, out);
  writeFileSync(path, palette(await page.screenshot({ caret: "hide" })));
  console.log(`${name}.png ${Math.ceil(statSync(path).size / 1000)} kB`);
}

/** The same picture with a palette of 256 of its colours, where that makes the file smaller. */
function palette(png) {
  const { width, height, channels, rows } = decode(png);
  const counts = new Map();
  for (let i = 0; i < rows.length; i += channels) {
    const colour = (rows[i] << 16) | (rows[i + 1] << 8) | rows[i + 2];
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  // The most common colour of every shade comes first, so that a small dot keeps its own; then the next common ones.
  const common = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  const shades = new Map();
  for (const colour of common) if (!shades.has(colour & 0xf0f0f0)) shades.set(colour & 0xf0f0f0, colour);
  const colours = [...new Set([...shades.values(), ...common])].slice(0, 256);
  const index = new Map(colours.map((colour, i) => [colour, i]));
  const nearest = (colour) => {
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (const [i, one] of colours.entries()) {
      const distance =
        ((one >> 16) - (colour >> 16)) ** 2 + (((one >> 8) & 255) - ((colour >> 8) & 255)) ** 2 + ((one & 255) - (colour & 255)) ** 2;
      if (distance < least) [best, least] = [i, distance];
    }
    return best;
  };
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i += channels) {
      const colour = (rows[i] << 16) | (rows[i + 1] << 8) | rows[i + 2];
      if (!index.has(colour)) index.set(colour, nearest(colour));
      lines[y * (width + 1) + 1 + x] = index.get(colour);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.from(colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const small = Buffer.concat([
    png.subarray(0, 8),
    chunk("IHDR", head),
    chunk("PLTE", table),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  return small.length < png.length ? small : png;
}

/** Reads an 8-bit true-colour PNG as Chromium writes it. */
function decode(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = { 2: 3, 6: 4 }[png[25]];
  const data = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const rows = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const to = y * stride + x;
      const left = x >= channels ? rows[to - channels] : 0;
      const up = y > 0 ? rows[to - stride] : 0;
      const corner = x >= channels && y > 0 ? rows[to - stride - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, filter === 4 ? paeth(left, up, corner) : 0][filter];
      rows[to] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return { width, height, channels, rows };
}

function paeth(left, up, corner) {
  const p = left + up - corner;
  const [a, b, c] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function chunk(kind, body) {
  const out = Buffer.alloc(body.length + 12);
  out.writeUInt32BE(body.length, 0);
  out.write(kind, 4, "latin1");
  body.copy(out, 8);
  out.writeUInt32BE(crc(out.subarray(4, body.length + 8)), body.length + 8);
  return out;
}

function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let i = 0; i < 8; i++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
