import { describe, expect, it } from "vitest";
import { dollar, itemMoney, money, parseMoney, roughMoney, short } from "./money";

describe("money", () => {
  it.each([
    [184_620_000, "$184.62"],
    [1_234_500_000, "$1,234.50"],
    [0, "$0.00"],
    [37_000, "$0.04"],
    [4_000, "<$0.01"],
    [1, "<$0.01"],
  ])("%d as a sum reads %s", (micros, text) => expect(money(micros)).toBe(text));

  it.each([
    [37_000, "$0.037"],
    [999_000, "$0.999"],
    [dollar, "$1.00"],
    [12_345_000, "$12.35"],
    [400, "<$0.001"],
    [0, "$0.00"],
  ])("%d for one thing reads %s", (micros, text) => expect(itemMoney(micros)).toBe(text));

  it.each([
    [371_400_000, "$371"],
    [6_000_000, "$6"],
    [500_000, "$0.50"],
    [0, "$0"],
  ])("%d as a guess reads %s", (micros, text) => expect(roughMoney(micros)).toBe(text));

  it("shortens large numbers", () => {
    expect([6_214_000, 984_051, 940].map(short)).toEqual(["6.21M", "984K", "940"]);
  });

  it("reads what people type", () => {
    expect(["400", "$12.50", " 1,200 ", "0.000001"].map(parseMoney)).toEqual([
      400 * dollar,
      12_500_000,
      1200 * dollar,
      1,
    ]);
    expect(["", "abc", "-5", "1.2.3", "1e9", "0.0000001"].map(parseMoney)).toEqual(Array(6).fill(undefined));
  });
});
