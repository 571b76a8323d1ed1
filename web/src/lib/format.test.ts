import { expect, test } from "vitest";
import { inWords } from "./format";

test.each([
  ["**run_command** did not work", "run_command did not work"],
  ["_A summary._\n\n| a | b |", "A summary. a b"],
  ["# Title\n> said `x__y` and __bold__", "Title said x__y and bold"],
])("%s is read as words", (text, words) => {
  expect(inWords(text)).toBe(words);
});
