import { useSyncExternalStore } from "react";
import { newKey } from "@/lib/random";
import { forgetLocal, readLocal, writeLocal } from "@/lib/storage";

/** A file the server keeps for a message. */
export type Attached = { id: string; name: string; media_type: string; size: number };

/** A message as it was written. */
export type Sending = {
  text: string;
  attachments?: readonly Attached[] | undefined;
  /** For an answer that is being written: it hears this now, or is stopped for it. Absent: this waits for it. */
  mode?: "steer" | "interrupt" | undefined;
  /** Another agent than the chosen one. */
  agent?: string | undefined;
};

/** A message on its way: kept on the device until the server has taken it. */
export type Outgoing = Sending & {
  key: string;
  /** Undefined: it starts a new conversation. */
  conversation: string | undefined;
  /** Empty: whoever fits. */
  agent: string;
  model?: string | undefined;
  at: string;
  state: "waiting" | "sending" | "failed";
  error?: string;
};

const place = "fluxway.outbox";
let items: readonly Outgoing[] = readLocal<Outgoing[]>(place, []).map((item) => ({
  ...item,
  state: item.state === "sending" ? "waiting" : item.state,
}));
const listeners = new Set<() => void>();

function set(next: readonly Outgoing[]) {
  items = next;
  writeLocal(place, next);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Everything that waits, in the order it was written. */
export function useOutbox(): readonly Outgoing[] {
  return useSyncExternalStore(subscribe, () => items);
}

export const outbox = {
  all: () => items,
  add(item: Omit<Outgoing, "key" | "at" | "state" | "error">): Outgoing {
    const made: Outgoing = { ...item, key: newKey(), at: new Date().toISOString(), state: "waiting" };
    set([...items, made]);
    return made;
  },
  change(key: string, change: Partial<Outgoing>) {
    set(items.map((item) => (item.key === key ? { ...item, ...change } : item)));
  },
  remove(key: string) {
    set(items.filter((item) => item.key !== key));
  },
  /** Removes everything kept on the device: outbox and drafts. For sign-out. */
  forget() {
    set([]);
    forgetLocal("fluxway.draft.");
  },
};

/**
 * The next message to send: the oldest of each conversation, unless that one failed or is under way. While an
 * answer is being written only what is meant for it goes out.
 */
export function nextOf(
  list: readonly Outgoing[],
  conversation: string | undefined,
  running = false,
): Outgoing | undefined {
  const first = list.find((item) => item.conversation === conversation && (!running || item.mode));
  return first?.state === "waiting" ? first : undefined;
}

const draftKey = (conversation: string | undefined) => `fluxway.draft.${conversation ?? "new"}`;

/** What was typed and attached in a chat and not sent yet, kept on this device. */
export const drafts = {
  read: (conversation: string | undefined) => readLocal<string>(draftKey(conversation), ""),
  write: (conversation: string | undefined, text: string) => writeLocal(draftKey(conversation), text),
  files: (conversation: string | undefined) =>
    readLocal<readonly Attached[]>(`${draftKey(conversation)}.files`, []),
  keepFiles: (conversation: string | undefined, files: readonly Attached[]) =>
    writeLocal(`${draftKey(conversation)}.files`, files.length > 0 ? files : undefined),
};
