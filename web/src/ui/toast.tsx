import { Check, Info, TriangleAlert } from "lucide-react";
import { Suspense, useSyncExternalStore } from "react";
import { onDemand } from "@/lib/on-demand";
import type { Note } from "./toaster";

const Toaster = onDemand(() => import("./toaster"), "default");

let wanted = false;
let waiting: Note[] = [];
let deliver: ((note: Note) => void) | undefined;
const listeners = new Set<() => void>();

function show(note: Note) {
  if (deliver) return deliver(note);
  waiting.push(note);
  wanted = true;
  for (const listener of listeners) listener();
}

/** Short news in the corner. Failures that block something are shown in place, not only here. */
export const toast = {
  done: (title: string, body?: string, action?: Note["action"]) =>
    show({ title, body, action, icon: <Check className="text-ok" aria-hidden="true" /> }),
  info: (title: string, body?: string, action?: Note["action"], stays?: boolean) =>
    show({ title, body, action, stays, icon: <Info className="text-accent" aria-hidden="true" /> }),
  failed: (error: unknown, title: string) =>
    show({
      title,
      body: error instanceof Error ? error.message : String(error),
      icon: <TriangleAlert className="text-bad" aria-hidden="true" />,
    }),
};

/** Where toasts appear; their code is loaded with the first one. */
export function Toasts() {
  const on = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => wanted,
  );
  if (!on) return null;
  return (
    <Suspense>
      <Toaster
        ready={(send) => {
          deliver = send;
          for (const note of waiting) send(note);
          waiting = [];
        }}
      />
    </Suspense>
  );
}
