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
