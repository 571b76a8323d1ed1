import { expect, test } from "vitest";
import { entries, textOf } from "./catalogue";

const given = {
  folder: "/srv",
  repository: "/srv/app",
  token: "t0ken",
  name: "notes",
  url: "https://x.test/mcp",
};

test.each(entries.map((entry) => [entry.id, entry] as const))("%s is a whole server", (_, entry) => {
  const { mcpServers } = JSON.parse(textOf(entry, given)) as {
    mcpServers: Record<string, { command?: string; url?: string }>;
  };
  const [name, server] = Object.entries(mcpServers)[0] ?? ["", {}];
  expect(name).toMatch(/^[a-z]+$/);
  expect(server.command ?? server.url).toBeTruthy();
  for (const field of entry.required) expect(Object.keys(entry.fields)).toContain(field);
});

test("a token travels where secrets are stored", () => {
  const github = entries.find((entry) => entry.id === "github");
  expect(github && textOf(github, given)).toContain('"Authorization":"Bearer t0ken"');
});
