import type { NewServer } from "./queries";

type Given = {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  url?: string;
  headers?: Record<string, string>;
  type?: string;
};

const secret = /key|token|secret|password|authorization/i;

/**
 * Reads servers in the form other programs use: {"mcpServers": {name: {…}}}, {name: {…}}, or one server with a
 * name. Values that may be secret travel apart, so that they are stored encrypted.
 */
export function readServers(text: string): NewServer[] {
  const value = JSON.parse(text) as Record<string, unknown>;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const inner = (value.mcpServers ?? value.servers ?? value) as Record<string, unknown>;
  if (typeof inner.name === "string" && (inner.command || inner.url))
    return [serverOf(inner.name, inner as Given)];
  return Object.entries(inner)
    .filter((entry): entry is [string, Given] => {
      const one = entry[1] as Given | null;
      return typeof one === "object" && one !== null && !!(one.command || one.url);
    })
    .map(([name, one]) => serverOf(name, one));
}

function serverOf(name: string, given: Given): NewServer {
  const secrets: Record<string, string> = {};
  const apart = (values: Record<string, string> | undefined, prefix: string) =>
    values &&
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        if (!secret.test(key) || value.includes("${")) return [key, value];
        const word = (prefix + key).toUpperCase().replace(/[^A-Z0-9]+/g, "_");
        secrets[word] = value;
        return [key, `\${${word}}`];
      }),
    );
  const env = apart(given.env, "");
  const headers = apart(given.headers, "HEADER_");
  return {
    name: name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, ""),
    ...(given.type === "sse" ? { transport: "sse" as const } : {}),
    ...(given.command ? { command: given.command } : {}),
    ...(given.args ? { args: given.args } : {}),
    ...(given.url ? { url: given.url } : {}),
    ...(env ? { env } : {}),
    ...(headers ? { headers } : {}),
    ...(Object.keys(secrets).length > 0 ? { secrets } : {}),
  };
}
