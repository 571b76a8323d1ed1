import { count } from "@/lib/format";
import { costs } from "@/lib/messages/costs";
import { itemMoney, money, roughMoney } from "@/lib/money";
import type { CostRecord, Sums } from "./queries";

type Priced = Pick<Sums, "calls" | "price" | "unpriced">;

/** A sum in words. When no call in it has a known price, it has none either. */
export function sumText(sums: Priced, rough = false): string {
  if (sums.calls > 0 && sums.unpriced >= sums.calls) return costs.noPrice;
  return rough ? roughMoney(sums.price) : money(sums.price);
}

/** What one call cost, in words. */
export function priceText(record: Pick<CostRecord, "price" | "unit" | "premium">): string {
  if (record.unit === "premium") return costs.records.premium(premiumText(record.premium));
  return record.price === null ? costs.noPrice : itemMoney(record.price);
}

/** The mean of the calls whose price is known; undefined when there is none. */
export function perCall(sums: Priced | undefined): number | undefined {
  const known = sums ? sums.calls - sums.unpriced : 0;
  return sums && known > 0 ? sums.price / known : undefined;
}

/** Thousandths of a premium request as a number of requests. */
export function premiumText(thousandths: number): string {
  return Number.isInteger(thousandths / 1000) ? count(thousandths / 1000) : (thousandths / 1000).toFixed(2);
}

/** An amount in a budget's own unit. */
export function unitText(unit: string, amount: number): string {
  return unit === "premium" ? costs.budgets.premium(premiumText(amount)) : money(amount);
}

/** How much more or less, as a signed percentage; undefined when there is nothing to compare with. */
export function changeOf(now: number, before: number): number | undefined {
  return before > 0 ? Math.round(((now - before) / before) * 100) : undefined;
}

export function changeText(percent: number): string {
  return percent > 0 ? `+${percent}%` : percent < 0 ? `−${-percent}%` : "0%";
}

export function Sum({ sums, rough }: { sums: Priced; rough?: boolean }) {
  const text = sumText(sums, rough);
  if (text !== costs.noPrice) return text;
  return <NoPrice />;
}

/** Says that a price is unknown, which is not the same as free. */
export function NoPrice() {
  return (
    <span className="pill line" title={costs.noPriceTip}>
      {costs.noPrice}
    </span>
  );
}

/** Says that nobody is charged: the demonstration only pretends to cost something. */
export function Pretend() {
  return (
    <span className="pill run" title={costs.pretendTip}>
      {costs.pretend}
    </span>
  );
}
