const whole = new Intl.NumberFormat("en");
const plurals = new Intl.PluralRules("en");

/** A whole number with separators. */
export function count(n: number): string {
  return whole.format(n);
}

/** Picks the form of a word for a number; the number itself is part of the answer. */
export function plural(n: number, one: string, other: string): string {
  return `${count(n)} ${plurals.select(n) === "one" ? one : other}`;
}

const units = ["B", "kB", "MB", "GB", "TB"] as const;

/** A size in powers of 1000 with at most one decimal. */
export function bytes(n: number): string {
  let value = n;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** The first letters of the first and last word, for an avatar. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const first = words[0]?.[0] ?? "?";
  const last = words.length > 1 ? (words[words.length - 1]?.[0] ?? "") : (words[0]?.[1] ?? "");
  return (first + last).toUpperCase();
}

/** A sentence-case word: "text_delta" reads "Text delta". */
export function words(identifier: string): string {
  const text = identifier.replace(/[_.-]+/g, " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const hues = ["iris", "azure", "teal", "green", "lime", "amber", "coral", "pink"] as const;

/** The class of a hue: the given one where it is one of ours, else always the same one for the same text. */
export function hueOf(text: string, given?: string): string {
  if (hues.some((hue) => hue === given)) return `h-${given}`;
  let hash = 0;
  for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
  return `h-${hues[hash % hues.length]}`;
}

/** The class of one hue after the other. */
export const hueAt = (i: number): string => `h-${hues[Math.max(0, i) % hues.length]}`;

/** Markdown read as words, for one line. */
export function inWords(text: string): string {
  return text
    .replace(/[*`#>|]+|(?<!\w)_+|_+(?!\w)/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
