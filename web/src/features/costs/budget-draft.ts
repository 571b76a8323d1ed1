import { costs } from "@/lib/messages/costs";
import { dollar, parseMoney } from "@/lib/money";
import { zone } from "./period";
import type { Budget, BudgetChange, NewBudget } from "./queries";

const words = costs.budgets.form;

/** A budget as it is being written: texts, as typed. */
export type Draft = {
  name: string;
  scope: NonNullable<NewBudget["scope"]>;
  scopeId: string;
  period: NonNullable<NewBudget["period"]>;
  unit: NonNullable<NewBudget["unit"]>;
  amount: string;
  thresholds: string;
  atLimit: NonNullable<NewBudget["at_limit"]>;
  rollover: boolean;
  notify: string;
};

export type Problems = Partial<Record<"amount" | "thresholds" | "scopeId", string>>;

export function draftOf(budget: Budget | undefined): Draft {
  if (!budget) {
    return {
      name: "",
      scope: "workspace",
      scopeId: "",
      period: "monthly",
      unit: "money",
      amount: "",
      thresholds: "50, 80, 95",
      atLimit: "block",
      rollover: false,
      notify: "",
    };
  }
  return {
    name: budget.name,
    scope: budget.scope as Draft["scope"],
    scopeId: budget.scope_id ?? "",
    period: budget.period as Draft["period"],
    unit: budget.unit as Draft["unit"],
    amount: String(budget.amount / (budget.unit === "premium" ? 1000 : dollar)),
    thresholds: budget.thresholds.join(", "),
    atLimit: budget.at_limit as Draft["atLimit"],
    rollover: budget.rollover,
    notify: budget.notify ?? "",
  };
}

/** An amount as typed, in the budget's unit; undefined when it is none. */
export function readAmount(text: string, unit: string): number | undefined {
  const micros = parseMoney(text);
  if (!micros) return undefined;
  return unit === "premium" ? Math.round(micros / 1000) || undefined : micros;
}

/** Percentages as typed, in order and each once; undefined when one of them is none. */
export function readThresholds(text: string): number[] | undefined {
  const parts = text.split(/[\s,;%]+/).filter(Boolean);
  const marks = parts.map(Number);
  if (marks.some((mark) => !Number.isInteger(mark) || mark < 1 || mark > 100)) return undefined;
  return [...new Set(marks)].sort((a, b) => a - b);
}

/** What to send for a draft, or what is wrong with it. A change says only what is different. */
export function readDraft(
  draft: Draft,
  budget?: Budget,
): { problems: Problems; body?: NewBudget; change: BudgetChange } {
  const amount = readAmount(draft.amount, draft.unit);
  const thresholds = readThresholds(draft.thresholds);
  const problems: Problems = {
    ...(amount === undefined ? { amount: words.badAmount } : {}),
    ...(thresholds === undefined ? { thresholds: words.badThresholds } : {}),
    ...(draft.scope !== "workspace" && draft.scopeId.trim() === "" ? { scopeId: words.noScope } : {}),
  };
  if (amount === undefined || thresholds === undefined || problems.scopeId) return { problems, change: {} };
  const body: NewBudget = {
    name: draft.name.trim(),
    scope: draft.scope,
    ...(draft.scope === "workspace" ? {} : { scope_id: draft.scopeId.trim() }),
    period: draft.period,
    zone,
    unit: draft.unit,
    amount,
    thresholds,
    at_limit: draft.atLimit,
    rollover: draft.rollover && draft.period !== "total",
    ...(draft.notify ? { notify: draft.notify } : {}),
  };
  if (!budget) return { problems, body, change: {} };
  const change: BudgetChange = {
    ...(body.name !== budget.name ? { name: body.name ?? "" } : {}),
    ...(amount !== budget.amount ? { amount } : {}),
    ...(thresholds.join() !== budget.thresholds.join() ? { thresholds } : {}),
    ...(draft.atLimit !== budget.at_limit ? { at_limit: draft.atLimit } : {}),
    ...(body.rollover !== budget.rollover ? { rollover: body.rollover ?? false } : {}),
    ...(draft.notify && draft.notify !== budget.notify ? { notify: draft.notify } : {}),
  };
  return { problems, body, change };
}
