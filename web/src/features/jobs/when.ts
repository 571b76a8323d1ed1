import { settings } from "@/lib/messages/settings";

const words = settings.jobs.schedule.said;

/** How often something repeats, as people say it. */
export const rhythms = ["hour", "day", "workday", "week", "month", "cron"] as const;
export type Rhythm = (typeof rhythms)[number];

export type When = {
  every: Rhythm;
  /** Hours and minutes; of every hour only the minutes count. */
  time: string;
  /** Of the week: 0 is Sunday. */
  weekday: number;
  /** Of the month. */
  date: number;
  /** As it is written, for what cannot be said otherwise. */
  cron: string;
};

export const mornings: When = { every: "workday", time: "09:00", weekday: 1, date: 1, cron: "" };

/** The five fields the server wants. */
export function cronOf({ every, time, weekday, date, cron }: When): string {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  switch (every) {
    case "hour":
      return `${minute} * * * *`;
    case "day":
      return `${minute} ${hour} * * *`;
    case "workday":
      return `${minute} ${hour} * * 1-5`;
    case "week":
      return `${minute} ${hour} * * ${weekday}`;
    case "month":
      return `${minute} ${hour} ${date} * *`;
    case "cron":
      return cron.trim();
  }
}

/** Days of the week by their names, Monday first. */
export const weekdays = [1, 2, 3, 4, 5, 6, 0].map((value) => ({
  value,
  label: new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(
    Date.UTC(2026, 0, 4 + value),
  ),
}));

const two = (n: string) => n.padStart(2, "0");
const number = /^\d+$/;

/** Five fields in words; what they cannot be said in stays as it is. */
export function inWords(cron: string): string {
  const [minute = "", hour = "", date = "", month = "", day = "", more] = cron.split(/\s+/);
  if (more !== undefined || month !== "*" || !number.test(minute)) return cron;
  if (hour === "*") return date === "*" && day === "*" ? words.hour(two(minute)) : cron;
  if (!number.test(hour)) return cron;
  const time = `${two(hour)}:${two(minute)}`;
  if (number.test(date)) return day === "*" ? words.month(Number(date), time) : cron;
  if (date !== "*") return cron;
  if (day === "*") return words.day(time);
  if (day === "1-5") return words.workday(time);
  const named = weekdays.find(({ value }) => day === String(value));
  return named ? words.week(named.label, time) : cron;
}
