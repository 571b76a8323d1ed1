/** Micro-dollars; the unit money travels in. */
export const dollar = 1_000_000;

const style = (digits: number) =>
  new Intl.NumberFormat("en", {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
const cents = style(2);
const tenths = style(3);
const whole = style(0);

/** A sum, to two digits. What is more than nothing never reads as nothing. */
export function money(micros: number): string {
  if (micros > 0 && micros < dollar / 200) return `<${cents.format(0.01)}`;
  return cents.format(micros / dollar);
}

/** What one thing costs: three digits under a dollar. */
export function itemMoney(micros: number): string {
  if (micros >= dollar || micros <= 0) return money(micros);
  if (micros < dollar / 2000) return `<${tenths.format(0.001)}`;
  return tenths.format(micros / dollar);
}

/** A guess or a mark on an axis: no more digits than it deserves. */
export function roughMoney(micros: number): string {
  return Math.abs(micros) >= 10 * dollar || micros % dollar === 0
    ? whole.format(micros / dollar)
    : money(micros);
}

const compact = new Intl.NumberFormat("en", {
  notation: "compact",
  maximumSignificantDigits: 3,
});

/** A large number in few signs: 6.21M. */
export function short(n: number): string {
  return compact.format(n);
}

/** What somebody typed as dollars, in micro-dollars; undefined when it is no amount. */
export function parseMoney(text: string): number | undefined {
  const plain = text
    .trim()
    .replace(/^\$\s*/, "")
    .replaceAll(",", "");
  if (!/^\d+(\.\d{1,6})?$/.test(plain)) return undefined;
  const micros = Math.round(Number(plain) * dollar);
  return Number.isSafeInteger(micros) ? micros : undefined;
}
