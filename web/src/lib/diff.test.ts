import { expect, test } from "vitest";
import { diffLines, folded } from "./diff";

const short = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${{ same: " ", out: "-", in: "+" }[kind]}${text}`);

test.each([
  ["a\nb\nc", "a\nb\nc", [" a", " b", " c"]],
  ["a\nb\nc", "a\nx\nc", [" a", "-b", "+x", " c"]],
  ["a\nc", "a\nb\nc", [" a", "+b", " c"]],
  ["a\nb\nc", "c", ["-a", "-b", " c"]],
  ["", "a", ["-", "+a"]],
])("%j becomes %j", (before, after, want) => {
  expect(short(before, after)).toEqual(want);
});

test("lines carry their numbers on both sides", () => {
  expect(diffLines("a\nb", "b\nc").map(({ before, after }) => [before, after])).toEqual([
    [1, undefined],
    [2, 1],
    [undefined, 2],
  ]);
});

test("what stayed is folded away from the changes", () => {
  const before = Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\n");
  const pieces = folded(diffLines(before, before.replace("line 15", "other")), 2);
  expect(pieces.map((one) => (one.kind === "fold" ? one.lines : one.kind))).toEqual([
    13,
    "same",
    "same",
    "out",
    "in",
    "same",
    "same",
    12,
  ]);
});
