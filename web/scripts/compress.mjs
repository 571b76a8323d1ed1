// Writes .br and .gz beside every text file of dist, so that the server sends them without work.
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const text = /\.(html|js|css|svg|json|webmanifest|txt)$/;
const dist = fileURLToPath(new URL("../dist", import.meta.url));
// The list of chunks is for the size check; it is not part of the site.
await rename(join(dist, ".vite/manifest.json"), join(dist, "../node_modules/.vite-manifest.json"));
await rm(join(dist, ".vite"), { recursive: true });
const names = await readdir(dist, { recursive: true });
let saved = 0;

for (const name of names.filter((one) => text.test(one))) {
  const file = join(dist, name);
  const body = await readFile(file);
  if (body.length < 512) continue;
  const br = await promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  const gz = await promisify(gzip)(body, { level: 9 });
  await writeFile(`${file}.br`, br);
  await writeFile(`${file}.gz`, gz);
  saved += body.length - br.length;
}
await writeFile(join(dist, ".gitkeep"), "");
console.log(`compressed, ${Math.round(saved / 1000)} kB less to send with brotli`);
