import { create } from "zustand";
import { readLocal, writeLocal } from "@/lib/storage";

export type Theme = "dark" | "light" | "system";
export type Density = "comfortable" | "compact";

type Shell = {
  theme: Theme;
  density: Density;
  /** Single-key shortcuts such as C for a new chat. */
  shortcuts: boolean;
  /** Ctrl or ⌘ with a digit opens a page also in a browser's tab. */
  pageKeys: boolean;
  rail: boolean;
  drawer: boolean;
  checklist: boolean;
  /** What was chosen in the palette, newest first. */
  recent: string[];
  palette: string | undefined;
  help: boolean;
  set: (change: Partial<Omit<Shell, "set">>) => void;
};

const place = "fluxway.ui";
const kept = ["theme", "density", "shortcuts", "pageKeys", "rail", "drawer", "checklist", "recent"] as const;

/** The one store of the client: how the shell looks on this device and what of it is open. */
export const useShell = create<Shell>()((set) => ({
  theme: "system",
  density: "comfortable",
  shortcuts: true,
  pageKeys: false,
  rail: false,
  drawer: false,
  checklist: true,
  recent: [],
  ...readLocal<{ state?: Partial<Shell> }>(place, {}).state,
  palette: undefined,
  help: false,
  set: (change) => set(change),
}));

// theme.js reads the same place before the first paint.
useShell.subscribe((shell) =>
  writeLocal(place, { state: Object.fromEntries(kept.map((name) => [name, shell[name]])), version: 0 }),
);
