import { Lexer, type Token, type TokensList } from "marked";
import { formulas } from "./math";

export type Block = { key: number; raw: string; tokens: Token[]; done: boolean };

/**
 * Splits a growing markdown text into blocks. Finished blocks are frozen and never parsed again, so a long
 * answer costs the same per flush as a short one. Any way of cutting the text gives the same blocks.
 */
export class BlockSplitter {
  private text = "";
  private frozen: Block[] = [];
  private tailStart = 0;

  /** Sets the whole text so far; a text that does not continue the last one starts over. */
  set(text: string): Block[] {
    if (!text.startsWith(this.text)) this.reset();
    this.text = text;
    const tail = text.slice(this.tailStart);
    const tokens = lex(tail);
    const keep = this.firstOpen(tokens, tail);
    for (const token of tokens.slice(0, keep)) this.freeze(token);
    const open = tokens.slice(keep);
    return [...this.frozen, ...this.openBlocks(open)];
  }

  private reset() {
    this.frozen = [];
    this.tailStart = 0;
  }

  private freeze(token: Token) {
    this.frozen.push({ key: this.tailStart, raw: token.raw, tokens: [token], done: true });
    this.tailStart += token.raw.length;
  }

  private openBlocks(tokens: Token[]): Block[] {
    let at = this.tailStart;
    return tokens.map((token) => {
      const block = { key: at, raw: token.raw, tokens: [token], done: false };
      at += token.raw.length;
      return block;
    });
  }

  /** A token is final once a later one has a whole first line: until then that line may still join it. */
  private firstOpen(tokens: Token[], tail: string): number {
    let open = tokens.length;
    let end = tail.length;
    for (let i = tokens.length - 1; i >= 0; i--) {
      const token = tokens[i];
      if (!token) break;
      const start = end - token.raw.length;
      const line = tail.indexOf("\n", start + leading(token.raw));
      open = i;
      if (token.type !== "space" && line >= 0 && line < tail.length && !unsure(token)) break;
      end = start;
    }
    return stableFrom(tokens, open);
  }
}

/** A formula whose last line is not whole may turn out to be a line of the paragraph before it. */
function unsure(token: Token): boolean {
  return token.type === "math" && (token.open || !token.raw.endsWith("\n"));
}

/** Blank lines before an open token belong to the token before it until that one is final. */
function stableFrom(tokens: Token[], open: number): number {
  return tokens.slice(open).some((token) => token.type !== "space") ? open : 0;
}

function leading(raw: string): number {
  return raw.length - raw.replace(/^\n+/, "").length;
}

/** Block tokens whose raw texts add up to the input, whatever marked does to line ends. */
function lex(text: string, extensions = formulas): Token[] {
  const tokens: TokensList = new Lexer({ gfm: true, extensions }).lex(text.replace(/\r\n|\r/g, "\n"));
  return tokens;
}

/** All blocks of a finished text. */
export function blocksOf(text: string): Block[] {
  let at = 0;
  return lex(text).map((token) => {
    const block = { key: at, raw: token.raw, tokens: [token], done: true };
    at += token.raw.length;
    return block;
  });
}

/** Parses one block again, after it was mended for display. */
export function tokensOf(raw: string): Token[] {
  return lex(raw);
}

/** Parses what began like a formula and has no end as the text it is. */
export function plainTokens(raw: string): Token[] {
  return lex(raw, null);
}

/**
 * Closes markup that is still being written, so that half a bold word is bold and half a link is its text.
 * Complete text comes back unchanged.
 */
export function mend(raw: string): string {
  if (/^ {0,3}(`{3,}|~{3,})/.test(raw)) return raw;
  let text = mendLink(raw);
  const code = unclosedCode(text);
  if (code) return text + code;
  text = text.replace(/(^|[\s(])(\*{1,3}|_{1,3}|~{2})$/, "$1");
  return text + unclosedEmphasis(text);
}

function mendLink(text: string): string {
  return text.replace(
    /!?\[([^[\]\n]*)(\]\([^()\s]*|\])?$/,
    (whole, label: string, rest: string | undefined) => (rest === "]" ? whole : label),
  );
}

function unclosedCode(text: string): string {
  let open = "";
  for (const [run] of text.matchAll(/`+/g)) {
    if (open === "") open = run;
    else if (open === run) open = "";
  }
  return open;
}

function unclosedEmphasis(text: string): string {
  const plain = text
    .replace(/(`+)[\s\S]*?\1/g, "")
    .replace(/\$\S[^$\n]*\$|\\\(.*?\\\)/g, "")
    .replace(/\\./g, "")
    .replace(/^\s*[*+-]\s/gm, "");
  const stack: string[] = [];
  for (const match of plain.matchAll(/\*\*|\*|~~|(?<![\p{L}\p{N}])__|__(?![\p{L}\p{N}])/gu)) {
    const mark = match[0];
    const before = plain[match.index - 1] ?? " ";
    const after = plain[match.index + mark.length] ?? " ";
    if (stack.at(-1) === mark && !/\s/.test(before)) stack.pop();
    else if (!/\s/.test(after)) stack.push(mark);
  }
  return stack.reverse().join("");
}

/** True once the last line of a fenced block has come. */
export function isClosedFence(raw: string): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  return !!fence && new RegExp(`\\n {0,3}${fence}[\`~]*\\s*$`).test(raw);
}

const safeLink = /^(https?:|mailto:|\/(?!\/)|#)/i;

/** True for addresses a click may open; anything else is shown as plain text. */
export function isSafeLink(href: string): boolean {
  return safeLink.test(href.trim());
}

/** Paragraphs a screen reader is told about when an answer is done. */
export function paragraphCount(text: string): number {
  return blocksOf(text).filter((block) => block.tokens[0]?.type !== "space").length;
}
