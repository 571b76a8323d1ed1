/** A calendar month on this device's clock, and the one before it. */
export type Month = {
  /** "2026-11" */
  id: string;
  start: Date;
  end: Date;
  before: Date;
  /** The first moment of each of its days. */
  days: Date[];
  /** The day that is today, counted from 0; undefined in months that are over. */
  today: number | undefined;
};

export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const monthName = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });
const shortDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const longDay = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });
const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

export const monthText = (at: Date) => monthName.format(at);
export const dayText = (at: Date) => shortDay.format(at);
export const weekdayText = (at: Date) => longDay.format(at);
export const hourText = (at: Date) => hour.format(at);

export const monthId = (at: Date) => `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}`;

/** "2026-11-15", the way dates stand in addresses. */
export const dateId = (at: Date) => `${monthId(at)}-${String(at.getDate()).padStart(2, "0")}`;

export const startOfDay = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate());

/** The month of an id, or the present one. */
export function monthOf(id: string | undefined, now: Date): Month {
  const match = /^(\d{4})-(\d{2})$/.exec(id ?? "");
  const at = match ? new Date(Number(match[1]), Number(match[2]) - 1, 1) : now;
  const start = new Date(at.getFullYear(), at.getMonth(), 1);
  const end = new Date(at.getFullYear(), at.getMonth() + 1, 1);
  const days: Date[] = [];
  for (let day = start; day < end; day = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1))
    days.push(day);
  return {
    id: monthId(start),
    start,
    end,
    before: new Date(at.getFullYear(), at.getMonth() - 1, 1),
    days,
    today: now >= start && now < end ? now.getDate() - 1 : undefined,
  };
}

/** This month and those before it, the newest first. */
export function recentMonths(now: Date, count: number): Date[] {
  return Array.from({ length: count }, (_, i) => new Date(now.getFullYear(), now.getMonth() - i, 1));
}

/** A date or moment of an address as a moment; a date alone means its start, or as an end, the start of the next. */
export function momentOf(text: string | undefined, end = false): string | undefined {
  if (!text) return undefined;
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const at = match
    ? new Date(Number(match[1]), Number(match[2]) - 1, Number(match[3]) + (end ? 1 : 0))
    : new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
