import type { Setting } from "./queries";

/** What is typed into a form: text, or on and off. */
export type Typed = string | boolean;

/** How a setting stands in the form. A secret that is stored is not shown. */
export function typedOf(setting: Setting): Typed {
  const { type, value } = setting;
  if (type === "boolean") return value === true;
  if (type === "list") return Array.isArray(value) ? value.join("\n") : "";
  if (value === undefined || value === null) return "";
  return String(value);
}

/** The value of what was typed, as the API takes it; null goes back to the default, undefined leaves it. */
export function changeOf(setting: Setting, typed: Typed): unknown {
  if (typed === typedOf(setting)) return undefined;
  if (typeof typed === "boolean") return typed;
  switch (setting.type) {
    case "list":
      return typed
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
    case "number":
      return typed.trim() === "" ? null : Number(typed);
    case "secret":
      return typed === "" ? undefined : typed;
    default:
      return typed === "" ? null : typed;
  }
}
