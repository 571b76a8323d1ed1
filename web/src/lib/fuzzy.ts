export type Match = { score: number; at: number[] };

const boundary = /[\s/._\-:]/;

/**
 * Finds the letters of a query in order inside a text and says how well they fit. Word starts and runs of
 * letters weigh most, so "gst" finds "Go to settings" before "big steps". Undefined means no match.
 */
export function fuzzy(query: string, text: string): Match | undefined {
  const wanted = query.toLowerCase().replace(/\s+/g, "");
  if (wanted === "") return { score: 0, at: [] };
  const hay = text.toLowerCase();
  const exact = hay.indexOf(query.toLowerCase().trim());
  if (exact >= 0) return exactMatch(exact, query.trim().length, hay);
  return scattered(wanted, hay);
}

function exactMatch(start: number, length: number, hay: string): Match {
  const atWord = start === 0 || boundary.test(hay[start - 1] ?? "");
  const at = Array.from({ length }, (_, i) => start + i);
  return { score: 1000 + (atWord ? 500 : 0) - start - hay.length / 100, at };
}

function scattered(wanted: string, hay: string): Match | undefined {
  let best: Match | undefined;
  for (
    let start = hay.indexOf(wanted[0] ?? "");
    start >= 0;
    start = hay.indexOf(wanted[0] ?? "", start + 1)
  ) {
    const found = follow(wanted, hay, start);
    if (!found) break;
    if (!best || found.score > best.score) best = found;
  }
  return best;
}

function follow(wanted: string, hay: string, start: number): Match | undefined {
  const at: number[] = [];
  let score = 0;
  let from = start;
  for (const char of wanted) {
    const next = preferWordStart(hay, char, from, at.length > 0);
    if (next < 0) return undefined;
    const previous = at[at.length - 1];
    if (next === 0 || boundary.test(hay[next - 1] ?? "")) score += 40;
    if (previous !== undefined) score += next === previous + 1 ? 25 : -Math.min(next - previous, 15);
    at.push(next);
    from = next + 1;
  }
  return { score: score - hay.length / 100, at };
}

/** The next letter, unless the very next one is not it and a later word starts with it. */
function preferWordStart(hay: string, char: string, from: number, mayJump: boolean): number {
  const near = hay.indexOf(char, from);
  if (near < 0 || near === from || !mayJump) return near;
  for (let i = near; i >= 0; i = hay.indexOf(char, i + 1)) {
    if (i === 0 || boundary.test(hay[i - 1] ?? "")) return i;
  }
  return near;
}

/** Keeps what matches, best first; equal scores keep their order. */
export function rank<T>(
  query: string,
  items: readonly T[],
  text: (item: T) => string,
): { item: T; match: Match }[] {
  const out: { item: T; match: Match }[] = [];
  for (const item of items) {
    const match = fuzzy(query, text(item));
    if (match) out.push({ item, match });
  }
  return query.trim() === "" ? out : out.sort((a, b) => b.match.score - a.match.score);
}
