/**
 * QR codes (ISO/IEC 18004), byte mode, error correction level M, versions 1 to 15: enough for 412 bytes.
 * Returns the dark modules as rows of booleans, without the quiet zone.
 */
export function qr(text: string): boolean[][] {
  const data = new TextEncoder().encode(text);
  const version = smallestVersion(data.length);
  const codewords = interleave(encode(data, version), version);
  let best: { grid: boolean[][]; penalty: number } | undefined;
  for (let mask = 0; mask < 8; mask++) {
    const grid = draw(version, codewords, mask);
    const penalty = score(grid);
    if (!best || penalty < best.penalty) best = { grid, penalty };
  }
  return best?.grid ?? [];
}

const eccPerBlock = [0, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24];
const blockCount = [0, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10];
const maxVersion = 15;

function at(list: ArrayLike<number>, i: number): number {
  return list[i] ?? 0;
}

function rawModules(version: number): number {
  let result = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const align = Math.floor(version / 7) + 2;
    result -= (25 * align - 10) * align - 55;
    if (version >= 7) result -= 36;
  }
  return result;
}

function capacity(version: number): number {
  return Math.floor(rawModules(version) / 8) - at(eccPerBlock, version) * at(blockCount, version);
}

function smallestVersion(length: number): number {
  for (let version = 1; version <= maxVersion; version++) {
    const header = version < 10 ? 12 : 20;
    if (length * 8 + header <= capacity(version) * 8) return version;
  }
  throw new RangeError(`qr: ${length} bytes do not fit`);
}

function encode(data: Uint8Array, version: number): Uint8Array {
  const bits: number[] = [];
  const put = (value: number, width: number) => {
    for (let i = width - 1; i >= 0; i--) bits.push((value >>> i) & 1);
  };
  put(4, 4);
  put(data.length, version < 10 ? 8 : 16);
  for (const byte of data) put(byte, 8);
  const total = capacity(version) * 8;
  put(0, Math.min(4, total - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < total; pad ^= 0xec ^ 0x11) put(pad, 8);
  const out = new Uint8Array(total / 8);
  bits.forEach((bit, i) => {
    out[i >> 3] = at(out, i >> 3) | (bit << (7 - (i & 7)));
  });
  return out;
}

function multiply(x: number, y: number): number {
  let z = 0;
  for (let i = 7; i >= 0; i--) {
    z = (z << 1) ^ ((z >>> 7) * 0x11d);
    z ^= ((y >>> i) & 1) * x;
  }
  return z;
}

function generator(degree: number): Uint8Array {
  const result = new Uint8Array(degree);
  result[degree - 1] = 1;
  let root = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++)
      result[j] = multiply(at(result, j), root) ^ (j + 1 < degree ? at(result, j + 1) : 0);
    root = multiply(root, 2);
  }
  return result;
}

function remainder(data: Uint8Array, divisor: Uint8Array): Uint8Array {
  const result = new Uint8Array(divisor.length);
  for (const byte of data) {
    const factor = byte ^ at(result, 0);
    result.copyWithin(0, 1);
    result[result.length - 1] = 0;
    for (let i = 0; i < result.length; i++) result[i] = at(result, i) ^ multiply(at(divisor, i), factor);
  }
  return result;
}

function interleave(data: Uint8Array, version: number): Uint8Array {
  const blocks = at(blockCount, version);
  const ecc = at(eccPerBlock, version);
  const raw = Math.floor(rawModules(version) / 8);
  const shortBlocks = blocks - (raw % blocks);
  const shortLength = Math.floor(raw / blocks) - ecc;
  const divisor = generator(ecc);
  const parts: { data: Uint8Array; ecc: Uint8Array }[] = [];
  for (let i = 0, from = 0; i < blocks; i++) {
    const length = shortLength + (i < shortBlocks ? 0 : 1);
    const piece = data.subarray(from, from + length);
    parts.push({ data: piece, ecc: remainder(piece, divisor) });
    from += length;
  }
  const out: number[] = [];
  for (let i = 0; i <= shortLength; i++)
    for (const part of parts) if (i < part.data.length) out.push(at(part.data, i));
  for (let i = 0; i < ecc; i++) for (const part of parts) out.push(at(part.ecc, i));
  return Uint8Array.from(out);
}

class Grid {
  readonly dark: boolean[][];
  readonly fixed: boolean[][];

  constructor(readonly size: number) {
    this.dark = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
    this.fixed = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  }

  set(x: number, y: number, dark: boolean) {
    const row = this.dark[y];
    const fixed = this.fixed[y];
    if (!row || !fixed || x < 0 || x >= this.size) return;
    row[x] = dark;
    fixed[x] = true;
  }
}

function alignments(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const size = version * 4 + 17;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const result = [6];
  for (let pos = size - 7; result.length < count; pos -= step) result.splice(1, 0, pos);
  return result;
}

function drawFunctions(grid: Grid, version: number) {
  const { size } = grid;
  for (let i = 0; i < size; i++) {
    grid.set(6, i, i % 2 === 0);
    grid.set(i, 6, i % 2 === 0);
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    for (let dy = -4; dy <= 4; dy++) {
      for (let dx = -4; dx <= 4; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        if (cy + dy >= 0 && cy + dy < size) grid.set(cx + dx, cy + dy, ring !== 2 && ring !== 4);
      }
    }
  }
  const centres = alignments(version);
  const last = centres.length - 1;
  centres.forEach((cy, i) => {
    centres.forEach((cx, j) => {
      if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) return;
      for (let dy = -2; dy <= 2; dy++) {
        for (let dx = -2; dx <= 2; dx++)
          grid.set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
      }
    });
  });
  drawVersion(grid, version);
}

function drawVersion(grid: Grid, version: number) {
  if (version < 7) return;
  let rest = version;
  for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let i = 0; i < 18; i++) {
    const dark = ((bits >>> i) & 1) === 1;
    const a = grid.size - 11 + (i % 3);
    const b = Math.floor(i / 3);
    grid.set(a, b, dark);
    grid.set(b, a, dark);
  }
}

function drawFormat(grid: Grid, mask: number) {
  let rest = mask;
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((mask << 10) | rest) ^ 0x5412;
  const dark = (i: number) => ((bits >>> i) & 1) === 1;
  for (let i = 0; i <= 5; i++) grid.set(8, i, dark(i));
  grid.set(8, 7, dark(6));
  grid.set(8, 8, dark(7));
  grid.set(7, 8, dark(8));
  for (let i = 9; i < 15; i++) grid.set(14 - i, 8, dark(i));
  for (let i = 0; i < 8; i++) grid.set(grid.size - 1 - i, 8, dark(i));
  for (let i = 8; i < 15; i++) grid.set(8, grid.size - 15 + i, dark(i));
  grid.set(8, grid.size - 8, true);
}

const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function draw(version: number, codewords: Uint8Array, mask: number): boolean[][] {
  const grid = new Grid(version * 4 + 17);
  drawFunctions(grid, version);
  drawFormat(grid, mask);
  const inverted = masks[mask];
  let i = 0;
  for (let right = grid.size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < grid.size; step++) {
      const y = ((right + 1) & 2) === 0 ? grid.size - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = grid.dark[y];
        if (!row || grid.fixed[y]?.[x]) continue;
        const bit = i < codewords.length * 8 && ((at(codewords, i >> 3) >>> (7 - (i & 7))) & 1) === 1;
        row[x] = bit !== (inverted?.(x, y) ?? false);
        i++;
      }
    }
  }
  return grid.dark;
}

function score(grid: boolean[][]): number {
  const size = grid.length;
  const columns = grid.map((_, x) => grid.map((row) => row[x] ?? false));
  let penalty = [...grid, ...columns].reduce((sum, line) => sum + lineScore(line), 0);
  for (let y = 0; y + 1 < size; y++) {
    for (let x = 0; x + 1 < size; x++) {
      const colour = grid[y]?.[x];
      if (colour === grid[y]?.[x + 1] && colour === grid[y + 1]?.[x] && colour === grid[y + 1]?.[x + 1])
        penalty += 3;
    }
  }
  const dark = grid.flat().filter(Boolean).length;
  return penalty + Math.floor(Math.abs(dark * 20 - size * size * 10) / (size * size)) * 10;
}

function lineScore(line: boolean[]): number {
  let penalty = 0;
  let run = 1;
  for (let i = 1; i <= line.length; i++) {
    if (i < line.length && line[i] === line[i - 1]) run++;
    else {
      if (run >= 5) penalty += run - 2;
      run = 1;
    }
  }
  const text = line.map((dark) => (dark ? "1" : "0")).join("");
  for (const pattern of ["10111010000", "00001011101"]) {
    for (let i = text.indexOf(pattern); i >= 0; i = text.indexOf(pattern, i + 1)) penalty += 40;
  }
  return penalty;
}
