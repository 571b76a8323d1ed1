import { rank } from "@/lib/fuzzy";
import { shell } from "@/lib/messages/shell";

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
  const hits = rank(words.trim(), pool, (item) => (item.also ? `${item.text} ${item.also}` : item.text));
  const sections = order.map((group) => ({
    title: shell.palette.groups[group],
    score: Math.max(
      ...hits.filter(({ item }) => item.group === group).map(({ match }) => match.score),
      Number.NEGATIVE_INFINITY,
    ),
    rows: hits
      .filter(({ item }) => item.group === group)
      .slice(0, only ? undefined : perGroup)
      .map(({ item, match }) => ({ item, at: match.at.filter((i) => i < item.text.length) })),
  }));
  const filled = sections.filter((section) => section.rows.length > 0);
  if (words.trim() !== "") return filled.sort((a, b) => b.score - a.score);
  return only ? filled : [...lately(pool, recent), ...filled];
}

function lately(pool: readonly Item[], recent: readonly string[]): Section[] {
  const rows = recent.slice(0, 4).flatMap((id) => {
    const item = pool.find((one) => one.id === id);
    return item ? [{ item: { ...item, id: `recent:${item.id}` }, at: [] }] : [];
  });
  return rows.length > 0 ? [{ title: shell.palette.recent, rows }] : [];
}
