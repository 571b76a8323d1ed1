import { Bot, Code, Compass, Eye, FileText, type LucideIcon, Waypoints } from "lucide-react";

const icons: readonly [RegExp, LucideIcon][] = [
  [/coordinat|plan|rout/, Waypoints],
  [/research|search|analy/, Compass],
  [/cod|develop|engineer/, Code],
  [/review|test|audit/, Eye],
  [/writ|edit|doc/, FileText],
];

/** The sign of an agent inside its glyph: what it does, as far as its name says so. */
export function AgentIcon({ name }: { name: string }) {
  const Icon = icons.find(([pattern]) => pattern.test(name))?.[1] ?? Bot;
  return <Icon aria-hidden="true" />;
}
