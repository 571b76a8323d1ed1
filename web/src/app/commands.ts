import { fuzzy, rank } from "@/lib/fuzzy";
import { keyboard } from "@/lib/messages/palette";

/** Something the palette can do. */
export type Item = {
  id: string;
  group: Group;
  text: string;
  /** Also found by these words. */
  also?: string;
  keys?: string;
  run: () => void;
};

export type Group = "here" | "actions" | "go" | "chats" | "settings" | "help";

export type Found = { item: Item; at: readonly number[] };
export type Section = { title: string; rows: Found[] };

const order: readonly Group[] = ["here", "actions", "go", "chats", "settings", "help"];
const perGroup = 8;

/** Splits the prefix off: `>` asks for actions, `?` for help. */
export function readQuery(text: string): { only: readonly Group[] | undefined; words: string } {
  const first = text.trimStart()[0];
  if (first === ">") return { only: ["here", "actions"], words: text.trimStart().slice(1) };
  if (first === "?") return { only: ["help"], words: text.trimStart().slice(1) };
  return { only: undefined, words: text };
}

/** What to show for a query, in groups; without words what was chosen lately comes first. */
export function find(text: string, items: readonly Item[], recent: readonly string[]): Section[] {
  const { only, words } = readQuery(text);
  const pool = items.filter((item) => (only ? only.includes(item.group) : item.group !== "help"));
  const hits = [...rank(words.trim(), pool, (item) => item.text), ...alsoNamed(words.trim(), pool)];
  const sections = order.map((group) => ({
    title: keyboard.palette.groups[group],
    score: Math.max(
      ...hits.filter(({ item }) => item.group === group).map(({ match }) => match.score),
      Number.NEGATIVE_INFINITY,
    ),
    rows: hits
      .filter(({ item }) => item.group === group)
      .slice(0, only ? undefined : perGroup)
      .map(({ item, match }) => ({ item, at: match.at })),
  }));
  const filled = sections.filter((section) => section.rows.length > 0);
  if (words.trim() !== "") return filled.sort((a, b) => b.score - a.score);
  return only ? filled : [...lately(pool, recent), ...filled];
}

/** Items that are meant by a word that is not in their text; they come after all others. */
function alsoNamed(words: string, pool: readonly Item[]) {
  if (words.length < 3) return [];
  const wanted = words.toLowerCase();
  return pool
    .filter((item) => item.also?.toLowerCase().includes(wanted) && !fuzzy(words, item.text))
    .map((item) => ({ item, match: { score: 0, at: [] as number[] } }));
}

function lately(pool: readonly Item[], recent: readonly string[]): Section[] {
  const rows = recent.slice(0, 4).flatMap((id) => {
    const item = pool.find((one) => one.id === id);
    return item ? [{ item: { ...item, id: `recent:${item.id}` }, at: [] }] : [];
  });
  return rows.length > 0 ? [{ title: keyboard.palette.recent, rows }] : [];
}
