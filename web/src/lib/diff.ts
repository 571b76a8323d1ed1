/** A line of a difference: as it was, taken out, or put in. */
export type DiffLine = { kind: "same" | "out" | "in"; text: string; before?: number; after?: number };

/** How two texts differ, line by line: the fewest lines taken out and put in. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split("\n");
  const b = after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const middle = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const lines: DiffLine[] = [
    ...a.slice(0, head).map((text) => ({ kind: "same" as const, text })),
    ...middle,
    ...a.slice(a.length - tail).map((text) => ({ kind: "same" as const, text })),
  ];
  let x = 0;
  let y = 0;
  return lines.map((line) => ({
    ...line,
    ...(line.kind === "in" ? {} : { before: ++x }),
    ...(line.kind === "out" ? {} : { after: ++y }),
  }));
}

function between(a: readonly string[], b: readonly string[]): DiffLine[] {
  const width = b.length + 1;
  // Beyond this a table would take too much room; then all of it counts as changed.
  if (a.length * b.length > 4_000_000)
    return [
      ...a.map((text) => ({ kind: "out" as const, text })),
      ...b.map((text) => ({ kind: "in" as const, text })),
    ];
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
  const out: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ kind: "same", text: a[i] ?? "" });
      i++;
      j++;
    } else if (
      i < a.length &&
      (j >= b.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    )
      out.push({ kind: "out", text: a[i++] ?? "" });
    else out.push({ kind: "in", text: b[j++] ?? "" });
  }
  return out;
}

/** A difference in pieces: long stretches that stayed are folded to their number of lines. */
export function folded(
  lines: readonly DiffLine[],
  around = 3,
): (DiffLine | { kind: "fold"; lines: number })[] {
  const near = lines.map((_, i) =>
    lines.slice(Math.max(0, i - around), i + around + 1).some((line) => line.kind !== "same"),
  );
  const out: (DiffLine | { kind: "fold"; lines: number })[] = [];
  for (const [i, line] of lines.entries()) {
    const last = out.at(-1);
    if (near[i]) out.push(line);
    else if (last?.kind === "fold") last.lines++;
    else out.push({ kind: "fold", lines: 1 });
  }
  return out;
}
