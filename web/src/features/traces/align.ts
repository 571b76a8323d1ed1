import type { Span } from "./spans";

/** One line of a comparison: the step of each side, where it has one. */
export type Pair = { left?: Span; right?: Span };

const same = (a: Span, b: Span) => a.depth === b.depth && a.kind === b.kind && a.name === b.name;

/** Lines up the steps of two runs: those of the same name and depth stand beside each other, in order. */
export function align(left: readonly Span[], right: readonly Span[]): Pair[] {
  // Lengths of the longest common part from each place on; over a bound only the beginning is compared closely.
  const most = 600;
  const a = left.slice(0, most);
  const b = right.slice(0, most);
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const one = a[i];
      const other = b[j];
      common[i * width + j] =
        one && other && same(one, other)
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
    }
  }
  const pairs: Pair[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const one = a[i];
    const other = b[j];
    if (one && other && same(one, other)) {
      pairs.push({ left: one, right: other });
      i++;
      j++;
    } else if (one && (!other || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))) {
      pairs.push({ left: one });
      i++;
    } else if (other) {
      pairs.push({ right: other });
      j++;
    }
  }
  return [
    ...pairs,
    ...left.slice(most).map((one) => ({ left: one })),
    ...right.slice(most).map((one) => ({ right: one })),
  ];
}

/** What differs between the two steps of a line. */
export function differs({ left, right }: Pair): boolean {
  if (!left || !right) return true;
  return left.state !== right.state || output(left) !== output(right) || input(left) !== input(right);
}

const input = (span: Span) => JSON.stringify(span.step?.input ?? null);
const output = (span: Span) => JSON.stringify(span.step?.output ?? span.step?.preview ?? null);
