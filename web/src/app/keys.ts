/** Everything a key can do; pages hear about the ones that are theirs. */
export type Command =
  | "palette"
  | "composer"
  | "new-chat"
  | "sidebar"
  | "drawer"
  | "help"
  | "stop"
  | "go-overview"
  | "go-inbox"
  | "go-chat"
  | "go-settings"
  | `page-${number}`;

type Binding = { command: Command; keys: string; mod?: boolean };

/** The keyboard map. A space means one key, then the other. */
export const bindings: readonly Binding[] = [
  { command: "palette", keys: "k", mod: true },
  { command: "composer", keys: "/", mod: true },
  { command: "stop", keys: ".", mod: true },
  { command: "new-chat", keys: "c" },
  { command: "sidebar", keys: "[" },
  { command: "drawer", keys: "]" },
  { command: "help", keys: "?" },
  { command: "go-overview", keys: "g o" },
  { command: "go-inbox", keys: "g i" },
  { command: "go-chat", keys: "g c" },
  { command: "go-settings", keys: "g s" },
];

export type Press = { key: string; mod: boolean; alt: boolean; typing: boolean };

const sequenceMs = 1200;

/** Turns key presses into commands. Single keys work outside text fields only and can be turned off. */
export class KeyMap {
  private first: { key: string; at: number } | undefined;

  /** `pages` lets a digit with the modifier open a page; in a tab those keys are the browser's. */
  press(press: Press, singles: boolean, now: number, pages = false): Command | undefined {
    const key = press.key.toLowerCase();
    if (press.mod) {
      this.first = undefined;
      if (pages && !press.alt && /^[1-9]$/.test(key)) return `page-${Number(key)}`;
      return bindings.find((binding) => binding.mod && binding.keys === key)?.command;
    }
    if (press.alt || press.typing || !singles || press.key.length > 1) {
      this.first = undefined;
      return undefined;
    }
    const started = this.first && now - this.first.at <= sequenceMs ? `${this.first.key} ${key}` : undefined;
    this.first = undefined;
    const sequence = started && bindings.find((binding) => binding.keys === started);
    if (sequence) return sequence.command;
    if (bindings.some((binding) => !binding.mod && binding.keys.startsWith(`${key} `))) {
      this.first = { key, at: now };
      return undefined;
    }
    return bindings.find((binding) => !binding.mod && binding.keys === key)?.command;
  }
}

/** True where a key is text and not a command. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button])")
  );
}

const apple = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

/** How a command's key is written on this machine. */
export function keyText(command: Command): string {
  const binding = bindings.find((one) => one.command === command);
  if (!binding) return "";
  const keys = binding.keys.toUpperCase();
  if (!binding.mod) return keys;
  return apple ? `⌘${keys}` : `Ctrl ${keys}`;
}
