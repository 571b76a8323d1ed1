import type { Schema } from "@/lib/json-schema";
import { tools } from "@/lib/messages/tools";

const words = tools.catalogue.entries;

/** A server that is known to work, and what has to be said to start it. */
export type Entry = {
  id: keyof typeof words;
  fields: Record<string, Schema>;
  required: readonly string[];
  /** The server in the form all programs use; secrets stand in env or headers. */
  server: (given: Record<string, string>) => Record<string, unknown>;
};

const text = (title: string, more: Schema = {}): Schema => ({ type: "string", title, ...more });
const secret = (title: string): Schema => text(title, { format: "password" });
const npx = (name: string, ...args: string[]) => ({ command: "npx", args: ["-y", name, ...args] });
const f = tools.catalogue.fields;

/** Servers one can add without looking up how. */
export const entries: readonly Entry[] = [
  {
    id: "filesystem",
    fields: { folder: text(f.folder) },
    required: ["folder"],
    server: ({ folder = "" }) => npx("@modelcontextprotocol/server-filesystem", folder),
  },
  {
    id: "fetch",
    fields: {},
    required: [],
    server: () => ({ command: "uvx", args: ["mcp-server-fetch"] }),
  },
  {
    id: "git",
    fields: { repository: text(f.repository) },
    required: ["repository"],
    server: ({ repository = "" }) => ({
      command: "uvx",
      args: ["mcp-server-git", "--repository", repository],
    }),
  },
  {
    id: "github",
    fields: { token: secret(f.token) },
    required: ["token"],
    server: ({ token = "" }) => ({
      type: "http",
      url: "https://api.githubcopilot.com/mcp/",
      headers: { Authorization: `Bearer ${token}` },
    }),
  },
  {
    id: "playwright",
    fields: {},
    required: [],
    server: () => npx("@playwright/mcp", "--headless"),
  },
  {
    id: "memory",
    fields: {},
    required: [],
    server: () => npx("@modelcontextprotocol/server-memory"),
  },
  {
    id: "thinking",
    fields: {},
    required: [],
    server: () => npx("@modelcontextprotocol/server-sequential-thinking"),
  },
  {
    id: "remote",
    fields: { name: text(f.name), url: text(f.url), token: secret(f.optionalToken) },
    required: ["name", "url"],
    server: ({ url = "", token = "" }) => ({
      url,
      ...(token ? { headers: { Authorization: `Bearer ${token}` } } : {}),
    }),
  },
];

/** What is sent for an entry: the text another program would hold. */
export function textOf(entry: Entry, given: Record<string, string>): string {
  const name = given.name?.trim() || entry.id;
  return JSON.stringify({ mcpServers: { [name]: entry.server(given) } });
}
