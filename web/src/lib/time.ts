const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/**
 * The order of two times of the server, for sorting: below zero if the first is earlier. One may have fewer digits after the
 * second than the other; without its Z it is then the beginning of it.
 */
export function byTime(a: string, b: string): number {
  const [first, second] = [a.slice(0, -1), b.slice(0, -1)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Relative under a day, a date after that. */
export function ago(iso: string | undefined, now: number = Date.now()): string {
  if (!iso) return "";
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return "";
  const seconds = Math.round((at - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 10) return relative.format(0, "second");
  if (size < 60) return relative.format(seconds, "second");
  if (size < 3600) return relative.format(Math.trunc(seconds / 60), "minute");
  if (size < 86_400) return relative.format(Math.trunc(seconds / 3600), "hour");
  return day.format(at);
}

/** Date and time to the second. */
export function exactTime(iso: string | undefined): string {
  const at = iso ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(at) ? "" : exact.format(at);
}

/** Hours and minutes. */
export function clockTime(iso: string | undefined): string {
  const at = iso ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(at) ? "" : clock.format(at);
}

/** Hours and minutes of a time to come, with its day unless that is today: "09:00", "tomorrow, 09:00", "Mon 23 Nov, 09:00". */
export function dayAndTime(at: number, now: number = Date.now()): string {
  const midnight = (time: number) => new Date(time).setHours(0, 0, 0, 0);
  const days = Math.round((midnight(at) - midnight(now)) / 86_400_000);
  if (days === 0) return clock.format(at);
  const date = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });
  return `${days === 1 ? relative.format(1, "day") : date.format(at)}, ${clock.format(at)}`;
}

/** A span in the largest two units that matter: "3 d 4 h", "12 min", "8.4 s". */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return hours % 24 ? `${Math.floor(hours / 24)} d ${hours % 24} h` : `${Math.floor(hours / 24)} d`;
}
