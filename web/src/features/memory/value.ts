/** A field of the profile as a person reads and edits it: text as it is, all else as JSON. */
export function fieldText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return JSON.stringify(value);
  return JSON.stringify(value, null, 2);
}

/** The other way round: what is a list, a group, a number or yes and no becomes one, all else stays text. */
export function readField(text: string): unknown {
  const plain = text.trim();
  if (!/^([[{]|-?\d+(\.\d+)?$|true$|false$)/.test(plain)) return plain;
  try {
    return JSON.parse(plain) as unknown;
  } catch {
    return plain;
  }
}
