import { plural } from "@/lib/format";

export const overview = {
  title: "Overview",
  needs: {
    title: "Needs you",
    count: (n: number) => plural(n, "approval waits", "approvals wait"),
    all: "Open the inbox",
  },
  now: {
    title: "Now",
    empty: "Nothing is running",
    emptyBody: "Answers and jobs in progress show up here.",
    start: "New chat",
    chat: "Chat",
  },
  today: {
    title: "Today",
    chats: "Chats touched",
    runs: "Answers",
    failed: "Failed",
    median: "Typical time",
    spent: "Spent",
    none: "–",
    more: "Counts the newest 100 answers.",
  },
  health: {
    title: "Health",
    database: "Database",
    disk: "Disk",
    version: "Version",
    free: (free: string) => `${free} free`,
    up: (time: string) => `up ${time}`,
    connection: "Connection",
    all: "All details",
  },
  setup: {
    title: "Set up",
    progress: (done: number, all: number) => `${done} of ${all}`,
    items: {
      account: { title: "Create the admin account", body: "You are signed in." },
      chat: { title: "Say hello", body: "Send the first message to the demo agent." },
      totp: { title: "Turn on two-step sign-in", body: "A code from your phone besides the password." },
      key: { title: "Create an API key", body: "For scripts and other programs." },
      user: { title: "Invite someone", body: "Give a colleague a role of their own." },
      backup: { title: "Make a backup", body: "One file with everything in it." },
      install: { title: "Install as an app", body: "Its own window, and a tile on your phone." },
    },
    hide: "Hide the checklist",
  },
  recent: { title: "Recent chats", empty: "No chats yet", all: "All chats" },
  runs: (n: number) => plural(n, "answer", "answers"),
  dots: { ok: "Healthy", warn: "Needs attention", bad: "Broken" },
};
