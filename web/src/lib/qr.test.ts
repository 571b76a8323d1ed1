import { describe, expect, it } from "vitest";
import { qr } from "./qr";

/** The corner pattern every reader looks for. */
function finder(grid: boolean[][], x: number, y: number): string {
  return Array.from({ length: 7 }, (_, dy) =>
    Array.from({ length: 7 }, (_, dx) => (grid[y + dy]?.[x + dx] ? "#" : ".")).join(""),
  ).join("\n");
}

const corner = "#######\n#.....#\n#.###.#\n#.###.#\n#.###.#\n#.....#\n#######";

/** Format bits beside the top left corner, as a reader takes them. */
function format(grid: boolean[][]): number {
  const cells: [number, number][] = [
    [8, 0],
    [8, 1],
    [8, 2],
    [8, 3],
    [8, 4],
    [8, 5],
    [8, 7],
    [8, 8],
    [7, 8],
    [5, 8],
    [4, 8],
    [3, 8],
    [2, 8],
    [1, 8],
    [0, 8],
  ];
  return cells.reduce((bits, [x, y], i) => bits | ((grid[y]?.[x] ? 1 : 0) << i), 0);
}

describe("qr", () => {
  it("grows with the text", () => {
    expect(qr("a")).toHaveLength(21);
    expect(qr("a".repeat(14))).toHaveLength(21);
    expect(qr("a".repeat(15))).toHaveLength(25);
    expect(qr("a".repeat(200))).toHaveLength(4 * 10 + 17);
  });

  it("has its three corners, timing lines and the dark module", () => {
    for (const text of [
      "a",
      "otpauth://totp/Fluxway:mira?secret=JBSWY3DPEHPK3PXP&issuer=Fluxway",
      "x".repeat(250),
    ]) {
      const grid = qr(text);
      const far = grid.length - 7;
      expect([finder(grid, 0, 0), finder(grid, far, 0), finder(grid, 0, far)]).toEqual([
        corner,
        corner,
        corner,
      ]);
      for (let i = 8; i < far; i++) expect([grid[6]?.[i], grid[i]?.[6]]).toEqual([i % 2 === 0, i % 2 === 0]);
      expect(grid[grid.length - 8]?.[8]).toBe(true);
    }
  });

  it("says level M and a mask in format bits that pass their own check", () => {
    const bits = format(qr("hello")) ^ 0x5412;
    expect(bits >> 13).toBe(0);
    let rest = bits >> 10;
    for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    expect(bits & 0x3ff).toBe(rest & 0x3ff);
  });

  it("refuses what does not fit", () => {
    expect(() => qr("x".repeat(500))).toThrow(RangeError);
  });
});
