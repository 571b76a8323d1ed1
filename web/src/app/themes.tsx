import { Monitor, Moon, Sun } from "lucide-react";
import { shell } from "@/lib/messages/shell";

/** The themes with their icons, for menus and settings. */
export const themes = [
  { value: "dark", label: shell.themes.dark, icon: <Moon aria-hidden="true" /> },
  { value: "light", label: shell.themes.light, icon: <Sun aria-hidden="true" /> },
  { value: "system", label: shell.themes.system, icon: <Monitor aria-hidden="true" /> },
] as const;
