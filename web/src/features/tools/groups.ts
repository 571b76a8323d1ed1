import { tools as words } from "@/lib/messages/tools";
import type { Tool } from "./queries";

/** Tools that come from one place. */
export type Group = { origin: string; list: readonly Tool[] };

const own = Object.keys(words.origins);
const seconds = "memory/underscore";

const place = (origin: string) =>
  origin === seconds ? own.length + 1 : own.includes(origin) ? own.indexOf(origin) : own.length;

/** Tools by where they come from: our own first, then those of servers and plugins, second names at the end. */
export function groupsOf(tools: readonly Tool[]): Group[] {
  return [...new Set(tools.map((tool) => tool.origin))]
    .map((origin) => ({ origin, list: tools.filter((tool) => tool.origin === origin) }))
    .sort((a, b) => place(a.origin) - place(b.origin) || a.origin.localeCompare(b.origin));
}

/** What a group is called: a server's tools by the server's name. */
export function nameOf(origin: string): string {
  const names: Record<string, string> = words.origins;
  return names[origin] ?? origin.replace(/^mcp\//, "");
}
