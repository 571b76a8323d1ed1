import { describe, expect, it } from "vitest";
import { BlockSplitter, blocksOf, isSafeLink, mend } from "./markdown";

const texts = [
  "Hello **world**.\n\nSecond paragraph\nwith two lines.\n",
  "# Title\n\n- one\n- two\n\n  continued\n- three\n\nAfter the list.",
  "1. first\n\n2. second\n3. third\n\ntext\n\n1) other",
  "Before\n\n```go\nfunc main() {\n\n\treturn\n}\n```\n\nAfter `code`.",
  "| a | b |\n|---|---|\n| 1 | 2 |\n\nDone\n---\nNot a title\n\n***\n",
  "> quote\nlazy\n\n> another\n\n    indented\n\n    code\n\nlast",
  "- a\n  - b\n    - c\n\n- [ ] task\n- [x] done\n\npara\n* star\n",
  "<div>\nhtml\n\n</div>\n\n[ref]: http://x.test\n\nText with [ref].",
  "~~~\nunclosed fence\n\nstill code",
  "Before\n$$\na\n- b\n= c\n$$\nafter\n\n\\[\nx\n\\]\n\nend",
  "Text\n$$\nx$$ goes on\n\n$$ no end\n\n- a $x_1$ b\n- c\n\n$$y$$\n\nIt is $$z$$ and \\(w\\).",
  "Costs $5\n$$ and more\n# A title\n\nText\n\\[ x\n- y\n\nz \\]\n\n$$\nunclosed\n- end",
  "Setext\n===\n\nline one\\\nline two  \nline three\n\n\n\nend",
];

/** Numbers that look random and are the same on every run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

function chunks(text: string, random: () => number, longest: number): string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(random() * longest);
    out.push(text.slice(at, at + size));
    at += size;
  }
  return out;
}

describe("BlockSplitter", () => {
  const mix = (random: () => number) =>
    Array.from({ length: 4 }, () => texts[Math.floor(random() * texts.length)]).join("\n\n");

  it("gives the same blocks for any way of cutting the text", () => {
    const random = sequence(7);
    for (let round = 0; round < 150; round++) {
      const text = round < texts.length ? (texts[round] ?? "") : mix(random);
      const splitter = new BlockSplitter();
      let so = "";
      let blocks = splitter.set("");
      for (const chunk of chunks(text, random, 1 + (round % 9))) {
        so += chunk;
        blocks = splitter.set(so);
      }
      expect(blocks.map((block) => block.raw)).toEqual(blocksOf(text).map((block) => block.raw));
      expect(blocks.map((block) => block.tokens[0]?.type)).toEqual(
        blocksOf(text).map((block) => block.tokens[0]?.type),
      );
    }
  });

  it("freezes finished blocks: they are the same objects afterwards", () => {
    const splitter = new BlockSplitter();
    const before = splitter.set("First.\n\nSecond.\n\nThird");
    const after = splitter.set("First.\n\nSecond.\n\nThird and more");
    expect(before[0]?.done).toBe(true);
    expect(after[0]).toBe(before[0]);
  });

  it("starts over when the text is another one", () => {
    const splitter = new BlockSplitter();
    splitter.set("One.\n\nTwo.\n\nThree.\n");
    expect(splitter.set("Other").map((block) => block.raw)).toEqual(["Other"]);
  });
});

describe("mend", () => {
  it.each([
    ["half a **bold", "half a **bold**"],
    ["half *em", "half *em*"],
    ["both ***x", "both ***x***"],
    ["some `code", "some `code`"],
    ["a [link](http://exa", "a link"],
    ["a [link", "a link"],
    ["struck ~~out", "struck ~~out~~"],
    ["ends with **", "ends with "],
    ["in `a * b` and *c", "in `a * b` and *c*"],
  ])("%s", (half, whole) => {
    expect(mend(half)).toBe(whole);
  });

  it.each([
    "plain text",
    "**bold** and *em* and `code`",
    "2 * 3 * 4",
    "snake_case_name",
    "[link](http://x.test) done",
    "```\nopen fence **",
    "* item\n* item",
  ])("leaves complete text alone: %s", (text) => {
    expect(mend(text)).toBe(text);
  });
});

describe("isSafeLink", () => {
  it("opens only what cannot run code or leave by surprise", () => {
    expect(["https://x.test", "mailto:a@x.test", "/chat", "#top"].every(isSafeLink)).toBe(true);
    expect(
      ["javascript:alert(1)", " JavaScript:x", "data:text/html,x", "//evil.test", "vbscript:x"].some(
        isSafeLink,
      ),
    ).toBe(false);
  });
});
