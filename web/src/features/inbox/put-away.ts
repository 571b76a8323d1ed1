import { readLocal, writeLocal } from "@/lib/storage";

const key = "fluxway.inbox.done";
const most = 500;

/** What was put away on this device; failed runs have no other place to note it. */
export function readPutAway(): readonly string[] {
  const list = readLocal<unknown>(key, []);
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}

export function putAway(id: string): readonly string[] {
  const list = [id, ...readPutAway().filter((one) => one !== id)].slice(0, most);
  writeLocal(key, list);
  return list;
}

const later = "fluxway.inbox.later";

/** What was put off on this device, and until when, in milliseconds. What is due again is left out. */
export function readPutOff(now = Date.now()): Record<string, number> {
  const kept = readLocal<unknown>(later, {});
  if (typeof kept !== "object" || kept === null) return {};
  return Object.fromEntries(
    Object.entries(kept).filter(([, until]) => typeof until === "number" && until > now),
  );
}

/** Puts one thing off; without a time it is there again. */
export function putOff(id: string, until?: number): Record<string, number> {
  const { [id]: _, ...others } = readPutOff();
  const kept = until ? { ...others, [id]: until } : others;
  writeLocal(later, kept);
  return kept;
}

/** In an hour. */
export function inAnHour(now = Date.now()): number {
  return now + 3_600_000;
}

/** The morning of the next day. */
export function tomorrow(now = new Date()): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9).getTime();
}
