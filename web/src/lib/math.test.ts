import type { Token } from "marked";
import { describe, expect, it } from "vitest";
import { blocksOf, mend, plainTokens } from "./markdown";
import type { Formula } from "./math";

/** All formulas of a text, in order, those for a line of their own in double brackets. */
function formulas(text: string): string[] {
  const walk = (tokens: readonly Token[]): string[] =>
    tokens.flatMap((token) => {
      if (token.type === "math") {
        const { text: tex, display, open } = token as Formula;
        return [open ? `open ${tex}` : display ? `[[${tex}]]` : tex];
      }
      const inner = token as { tokens?: Token[]; items?: Token[]; rows?: { tokens: Token[] }[][] };
      const cells = inner.rows?.flat().flatMap((cell) => cell.tokens) ?? [];
      return walk([...(inner.tokens ?? []), ...(inner.items ?? []), ...cells]);
    });
  return walk(blocksOf(text).flatMap((block) => block.tokens));
}

describe("formulas", () => {
  it.each([
    ["Mass is $E = mc^2$ and $x$.", ["E = mc^2", "x"]],
    ["An \\(a_1 * b_2\\) inline.", ["a_1 * b_2"]],
    ["$$\n\\int_0^1 x\\,dx\n$$", ["[[\\int_0^1 x\\,dx]]"]],
    [
      "\\[\n\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned}\n\\]",
      ["[[\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned}]]"],
    ],
    ["So:\n$$\nx\n- y\n= z\n$$\nDone.", ["[[x\n- y\n= z]]"]],
    ["One line $$x^2$$ in a text.", ["[[x^2]]"]],
    ["$$x^2$$", ["[[x^2]]"]],
    ["- first $a_1$\n- second\n  $$\n  b\n  $$\n", ["a_1", "[[b]]"]],
    ["| a | b |\n|---|---|\n| $x$ | 2 |\n", ["x"]],
    ["**Bold $a*b$ text**", ["a*b"]],
    ["A set $\\{1, 2\\}$, the cost \\$5.", ["\\{1, 2\\}"]],
    ["($n$-th) and “$k$”", ["n", "k"]],
    ["$5$ and $2x$", ["5", "2x"]],
  ])("%s", (text, found) => {
    expect(formulas(text)).toEqual(found);
  });

  it.each([
    "It costs $5 and $10.",
    "Between $5-$10, or $5–$10.",
    "From $20/month to 30$ a year.",
    "US$5 and A$6, 5$ or 6$.",
    "echo $HOME and $PATH; $HOME/$USER",
    "The variables $HOME is set, see PATH$ too",
    "\\$5 and \\$6",
    "`$x$` is code",
    "```\n$$\nx\n$$\n```",
    "As said before \\[1\\] and \\[12\\].",
    "$ x $ has spaces",
    "$$\n\nno formula over a blank line\n\n$$\n\nend",
    "$$$$",
  ])("not in: %s", (text) => {
    expect(formulas(text)).toEqual([]);
  });

  it("are open until their end comes, and plain text if it never does", () => {
    expect(formulas("Look:\n\n$$\na &= b\n- c")).toEqual(["open \na &= b\n- c"]);
    expect(plainTokens("$$\na\n- c").map((token) => token.type)).toEqual(["paragraph", "list"]);
  });

  it("keep their stars and lines out of what is mended", () => {
    expect(mend("so $a * b$ and *c")).toBe("so $a * b$ and *c*");
    expect(mend("so $a *b$ is")).toBe("so $a *b$ is");
    expect(mend("so \\(a *b\\) is")).toBe("so \\(a *b\\) is");
  });
});
