import type { ConfigValue } from "@/api/types";

export type Parsed = { value: unknown } | { problem: "json" };

/** How a setting is edited. */
export function editorOf(type: string): "switch" | "number" | "list" | "table" | "text" {
  if (type === "yes or no") return "switch";
  if (type === "number") return "number";
  if (type.startsWith("list")) return "list";
  return type.startsWith("table") ? "table" : "text";
}

/** The text to start editing with: lists one per line, secrets empty because they are never shown. */
export function editText(item: ConfigValue): string {
  if (item.secret) return "";
  if (editorOf(item.type) !== "list") return item.value;
  return item.value
    .replace(/^\[|\]$/g, "")
    .split(",")
    .map((one) => one.trim().replace(/^"|"$/g, ""))
    .filter(Boolean)
    .join("\n");
}

/** What is sent for an edited text. */
export function parseValue(type: string, text: string): Parsed {
  switch (editorOf(type)) {
    case "switch":
      return { value: text === "true" };
    case "number":
      return { value: Number(text) };
    case "list":
      return {
        value: text
          .split("\n")
          .map((line) => line.trim())
          .filter(Boolean),
      };
    case "table":
      try {
        return { value: JSON.parse(text || "{}") as unknown };
      } catch {
        return { problem: "json" };
      }
    default:
      return { value: text };
  }
}
