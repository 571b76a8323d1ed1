import type { Model } from "@/api/types";
import { models as words } from "@/lib/messages/models";

const micro = 1_000_000;
const format = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
});

/** What a model costs. A price nobody knows is said so: it is not nothing. */
export function priceText(model: Model): string {
  const { price } = model;
  if (!price || (price.input === undefined && price.output === undefined)) return words.noPrice;
  if (price.input === 0 && price.output === 0) return words.free;
  const one = (value: number | undefined) =>
    value === undefined ? words.unknown : format.format(value / micro);
  return words.priceOf(one(price.input), one(price.output));
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A number of tokens in few signs. */
export function tokensText(tokens: number | undefined): string {
  return tokens ? compact.format(tokens) : words.unknown;
}
