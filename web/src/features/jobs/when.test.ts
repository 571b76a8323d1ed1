import { expect, test } from "vitest";
import { cronOf, inWords, mornings, rhythms } from "./when";

test("what is chosen is sent as five fields, and said again in words", () => {
  const at = { ...mornings, time: "07:05", weekday: 0, date: 31, cron: " @every 15m " };
  expect(rhythms.map((every) => [cronOf({ ...at, every }), inWords(cronOf({ ...at, every }))])).toEqual([
    ["5 * * * *", "Every hour, 05 past"],
    ["5 7 * * *", "Every day at 07:05"],
    ["5 7 * * 1-5", "Monday to Friday at 07:05"],
    ["5 7 * * 0", "Every Sunday at 07:05"],
    ["5 7 31 * *", "Day 31 of the month at 07:05"],
    ["@every 15m", "@every 15m"],
  ]);
});

test.each([
  "@daily",
  "*/5 * * * *",
  "0 9 * 1 *",
  "0 9-17 * * *",
  "0 9 1 * 1",
  "0 * 1 * *",
  "0 9 * * 1,3",
  "0 0 9 * * *",
])("%s stays as it is", (cron) => expect(inWords(cron)).toBe(cron));
