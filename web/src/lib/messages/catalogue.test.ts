import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { catalogue } from ".";

type Leaf = { path: string; text: string };

/** Every text of the catalogue; those that take values are asked with some. */
function leaves(value: unknown, path: string): Leaf[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (typeof value === "function") return [{ path, text: String(value("7", 7, "7", "7", "7")) }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => leaves(one, path ? `${path}.${key}` : key));
}

function sources(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes("messages") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
}

describe("the catalogue", () => {
  const all = leaves(catalogue, "");

  it("has a text for every key", () => {
    const empty = all.filter(({ path, text }) => text.trim() === "" && path !== "start.setup.strength.0");
    expect(empty.map(({ path }) => path)).toEqual([]);
    expect(all.filter(({ text }) => text.includes("undefined"))).toEqual([]);
    expect(all.length).toBeGreaterThan(300);
  });

  it("blames nobody and does not shout", () => {
    const bad = all.filter(({ text }) => /oops|sorry|!$|invalid input|please/i.test(text));
    expect(bad).toEqual([]);
  });

  it("writes labels in sentence case", () => {
    const names =
      /Mozilla|CSV|JSONL|API|JSON|WebSocket|Enter|Shift|Esc|HTTPS|HTTP|Ctrl|UTC|URL|Fluxway|English|QR|IP/;
    const titled = all.filter(({ text }) => {
      const words = text.replace(/[“”].*?[“”]/g, "").split(" ");
      return (
        words.length > 1 &&
        words.length < 4 &&
        words.slice(1).every((word) => /^[A-Z][a-z]+$/.test(word) && !names.test(word))
      );
    });
    expect(titled).toEqual([]);
  });

  it("has no key that no page uses", () => {
    // looked up by what the server says, or shown whole
    const choices = new Set(
      "0s 168h dotenv mcp documents audio embeddings transcription speech signed_out resting indexing".split(
        " ",
      ),
    );
    const code = sources(join(process.cwd(), "src"));
    const unused = all
      .map(({ path }) => path.split(".").filter((part) => !/^\d+$/.test(part)))
      .map((parts) => parts[parts.length - 1] ?? "")
      .filter((key) => !choices.has(key) && !new RegExp(`\\b${key}\\b`).test(code));
    expect([...new Set(unused)]).toEqual([]);
  });
});
