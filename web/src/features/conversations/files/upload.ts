import { newKey } from "@/lib/random";
import type { FileDraft } from "./draft";
import { refusal } from "./judge";
import { upload } from "./queries";

type Change = (next: (files: readonly FileDraft[]) => readonly FileDraft[]) => void;

/** Adds files to a message and sends them at once; what cannot be sent stays in sight with the reason. */
export function attach(list: readonly File[], already: number, change: Change, send = upload): void {
  let count = already;
  for (const file of list) {
    const error = refusal(file, count);
    const draft = made(file, newKey(), error);
    change((before) => [...before, draft]);
    if (error) continue;
    count++;
    void begin(file, draft.key, change, send);
  }
}

function made(file: File, key: string, error: string | undefined): FileDraft {
  return {
    key,
    id: "",
    name: file.name,
    media_type: file.type,
    size: file.size,
    state: error ? "failed" : "sending",
    progress: 0,
    ...(error ? { error } : {}),
    ...(!error && file.type.startsWith("image/") ? { preview: URL.createObjectURL(file) } : {}),
  };
}

async function begin(file: File, key: string, change: Change, send: typeof upload): Promise<void> {
  const patch = (patched: Partial<FileDraft>) =>
    change((list) =>
      list.map((one) => (one.key === key && one.state === "sending" ? { ...one, ...patched } : one)),
    );
  try {
    const kept = await send(file, (progress) => patch({ progress }));
    const { id, name, media_type, size } = kept;
    patch({ id, name, media_type, size, state: "done" });
  } catch (error) {
    patch({ state: "failed", error: error instanceof Error ? error.message : String(error) });
  }
}
