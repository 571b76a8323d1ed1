import type { Guess } from "./chart";
import type { Month } from "./period";
import type { Forecast } from "./queries";

export type Outlook = {
  /** What the month will have cost at its end. */
  end: Guess;
  /** What is expected of each day after today, by its first moment. */
  days: Map<number, Guess>;
};

/** Puts a forecast, which begins with the whole of today, behind what was spent already. */
export function outlookOf(
  forecast: Forecast,
  month: Month,
  spent: number,
  today: number,
): Outlook | undefined {
  const present = month.today === undefined ? undefined : month.days[month.today]?.getTime();
  if (present === undefined) return undefined;
  const days = new Map<number, Guess>();
  let price = spent;
  for (const { at, price: expected, low_80, high_80 } of forecast.days) {
    const moment = Date.parse(at ?? "");
    if (moment === present) price += Math.max(0, expected - today);
    else if (moment > present && moment < month.end.getTime()) {
      price += expected;
      days.set(moment, { price: expected, low: Math.max(0, low_80), high: high_80 });
    }
  }
  const { total } = forecast;
  return {
    end: {
      price,
      low: Math.max(spent, price - (total.price - total.low_80)),
      high: price + (total.high_80 - total.price),
    },
    days,
  };
}
