/** A piece of code and the kind it is, or none. */
export type Span = [kind: string | undefined, text: string];

type Waiting = (spans: Span[] | undefined) => void;

let worker: Worker | undefined;
const waiting = new Map<number, Waiting>();
let nextId = 1;

/** Colours code in a worker that starts with the first request. Undefined: leave it plain. */
export function highlight(text: string, lang: string): Promise<Span[] | undefined> {
  if (typeof Worker === "undefined" || text.length > 100_000) return Promise.resolve(undefined);
  worker ??= start();
  const id = nextId++;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker?.postMessage({ id, text, lang });
  });
}

function start(): Worker {
  const made = new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" });
  made.onmessage = (message: MessageEvent<{ id: number; spans?: Span[] }>) => {
    waiting.get(message.data.id)?.(message.data.spans);
    waiting.delete(message.data.id);
  };
  made.onerror = () => {
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  };
  return made;
}
