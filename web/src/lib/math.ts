import type { MarkedOptions, Token } from "marked";

/** A formula in a text. `open`: its end has not come yet. */
export type Formula = { type: "math"; raw: string; text: string; display: boolean; open?: boolean };

const blank = /\n[ \t]*\n/;

/** A formula on lines of its own, between `$$` and `$$` or `\[` and `\]`. A blank line ends the hope for its end. */
function block(src: string): Formula | undefined {
  const start = /^ {0,3}(\$\$|\\\[)/.exec(src);
  if (!start) return undefined;
  const from = start[0].length;
  const close = src.indexOf(start[1] === "$$" ? "$$" : "\\]", from);
  const gap = src.slice(from).search(blank);
  if (close < 0 || (gap >= 0 && close > from + gap))
    return gap >= 0
      ? undefined
      : { type: "math", raw: src, text: src.slice(from), display: true, open: true };
  const rest = /^[ \t]*(?:\n|$)/.exec(src.slice(close + 2));
  const text = src.slice(from, close).trim();
  if (!rest || text === "") return undefined;
  return { type: "math", raw: src.slice(0, close + 2 + rest[0].length), text, display: true };
}

const signs = /[\\^_={}<>+*|]/;

/** Prices and names of variables stand between dollar signs too: words without any sign of a formula are none. */
function isProse(text: string): boolean {
  if (signs.test(text)) return false;
  const words = text.match(/\p{L}{2,}/gu)?.length ?? 0;
  return words > (/^\d/.test(text) ? 0 : 1);
}

/** A formula within a line. The first dollar sign follows no letter or digit, and the last has none behind it. */
function inline(src: string, tokens: readonly Token[]): Formula | undefined {
  const long = /^\\\(([^\n]+?)\\\)|^\\\[([^\n]+?)\\\]|^\$\$([^\n$]+)\$\$/.exec(src);
  if (long) {
    const text = (long[1] ?? long[2] ?? long[3] ?? "").trim();
    if (text === "" || (long[2] !== undefined && !signs.test(text))) return undefined;
    return { type: "math", raw: long[0], text, display: long[1] === undefined };
  }
  const short = /^\$(?![\s$])((?:\\.|[^\\\n$])*?)(?<!\s)\$(?![\p{L}\p{N}$])/u.exec(src);
  if (!short?.[1] || isProse(short[1]) || /[\p{L}\p{N}$]$/u.test(tokens.at(-1)?.raw ?? "")) return undefined;
  return { type: "math", raw: short[0], text: short[1], display: false };
}

const found = (index: number) => (index < 0 ? undefined : index);

/** What teaches the lexer formulas. */
export const formulas: MarkedOptions["extensions"] = {
  renderers: {},
  childTokens: {},
  block: [block],
  startBlock: [(src) => found(src.search(/(?<=\n) {0,3}(?:\$\$|\\\[)/))],
  inline: [inline],
  startInline: [(src) => found(src.search(/\$|\\[([]/))],
};
