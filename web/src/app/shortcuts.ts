import { useEffect, useRef } from "react";
import { type Command, isTyping, KeyMap } from "./keys";
import { useShell } from "./store";

type Handlers = Partial<Record<Command, () => void>>;

const stack: { current: Handlers }[] = [];

/** Runs a command: the newest page that knows it answers. False when nobody does. */
export function runCommand(command: Command): boolean {
  for (let i = stack.length - 1; i >= 0; i--) {
    const run = stack[i]?.current[command];
    if (run) {
      run();
      return true;
    }
  }
  return false;
}

/** True when somebody on this page answers the command. */
export function hasCommand(command: Command): boolean {
  return stack.some((entry) => entry.current[command]);
}

/** Answers commands while the component is shown. */
export function useCommands(handlers: Handlers): void {
  const entry = useRef(handlers);
  useEffect(() => {
    entry.current = handlers;
  });
  useEffect(() => {
    stack.push(entry);
    return () => {
      stack.splice(stack.indexOf(entry), 1);
    };
  }, []);
}

/** Listens to the keyboard for the whole window. Mounted once, by the shell. */
export function useKeyboard(): void {
  useEffect(() => {
    const map = new KeyMap();
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const press = {
        key: event.key,
        mod: event.metaKey || event.ctrlKey,
        alt: event.altKey,
        typing: isTyping(event.target) || document.querySelector("[role=dialog], [role=menu]") !== null,
      };
      const { shortcuts, pageKeys } = useShell.getState();
      const own = matchMedia("(display-mode: standalone)").matches;
      const command = map.press(press, shortcuts, event.timeStamp, pageKeys || own);
      if (command && runCommand(command)) event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
