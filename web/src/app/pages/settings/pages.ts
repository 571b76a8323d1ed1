import { settings } from "@/lib/messages/settings";

export type SettingsPage = {
  id: keyof typeof settings.pages;
  label: string;
  intro: string;
  group: keyof typeof settings.groups;
  /** The permission without which the page is not shown. */
  needs?: string;
};

const page = (id: SettingsPage["id"], group: SettingsPage["group"], needs?: string): SettingsPage => ({
  id,
  group,
  label: settings.pages[id],
  intro: settings.intro[id],
  ...(needs ? { needs } : {}),
});

/** Every settings page in the order of the menu. */
export const settingsPages: readonly SettingsPage[] = [
  page("account", "you"),
  page("notifications", "you"),
  page("appearance", "you"),
  page("keyboard", "you"),
  page("users", "workspace", "users:read"),
  page("keys", "workspace", "keys:read"),
  page("models", "workspace", "models:read"),
  page("workspaces", "workspace", "workspaces:read"),
  page("audit", "workspace", "audit:read"),
  page("jobs", "server", "jobs:read"),
  page("backup", "server", "system:write"),
  page("config", "server", "config:read"),
  page("posture", "server", "system:write"),
  page("health", "server", "system:read"),
  page("logs", "server", "system:write"),
];
