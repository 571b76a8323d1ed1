import { Download, Upload } from "lucide-react";
import { useRef } from "react";
import type { Conversation } from "@/api/types";
import { common } from "@/lib/messages/common";
import { talk } from "@/lib/messages/talk";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { Dialog, DialogActions } from "@/ui/dialog";
import { toast } from "@/ui/toast";
import { useSaveConversation } from "../queries";
import { exportOf, useImport } from "./queries";

/** Lets the workspace see a chat, or takes that back. The link opens for members only. */
export function ShareChat({ item, onClose }: { item: Conversation; onClose: () => void }) {
  const words = talk.share;
  const save = useSaveConversation();
  const shared = item.visibility === "workspace";
  const link = `${location.origin}/chat/${item.id}`;
  const change = () =>
    save.mutate(
      { id: item.id, visibility: shared ? "private" : "workspace" },
      {
        onSuccess: () => toast.done(shared ? words.undone : words.done),
        onError: (error) => toast.failed(error, common.errors.title),
      },
    );
  return (
    <Dialog open title={words.title} body={words.body} onClose={onClose}>
      <label className="flex items-center gap-3">
        <input
          type="checkbox"
          role="switch"
          aria-checked={shared}
          className="switch"
          checked={shared}
          disabled={save.isPending}
          onChange={change}
        />
        <span className="flex-1 font-medium">{words.on}</span>
      </label>
      <p className="text-small text-fg-3">{shared ? words.shared : words.private}</p>
      <div className="flex gap-2">
        <input className="in mono flex-1" readOnly aria-label={words.link} value={link} />
        <CopyButton text={link} label={words.copy} word />
      </div>
    </Dialog>
  );
}

/** Downloads a chat as a file. */
export function ExportChat({ item, onClose }: { item: Conversation; onClose: () => void }) {
  const words = talk.export;
  return (
    <Dialog open title={words.title} body={words.body} onClose={onClose}>
      <DialogActions>
        {(["markdown", "json"] as const).map((format) => (
          <a key={format} className="btn" href={exportOf(item.id, format)} download onClick={onClose}>
            <Download aria-hidden="true" />
            {words[format]}
          </a>
        ))}
      </DialogActions>
    </Dialog>
  );
}

/** Makes a chat of an exported file. */
export function ImportChat({ onDone }: { onDone: (id: string) => void }) {
  const words = talk.export;
  const input = useRef<HTMLInputElement>(null);
  const imports = useImport();
  const read = async (file: File | undefined) => {
    if (!file) return;
    let content: unknown;
    try {
      content = JSON.parse(await file.text());
    } catch {
      toast.failed(new Error(words.notJsonHint), words.notJson(file.name));
      return;
    }
    imports.mutate(content, {
      onSuccess: (made) => {
        toast.done(words.imported);
        onDone(made.id);
      },
      onError: (error) => toast.failed(error, words.notJson(file.name)),
    });
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        data-import
        accept="application/json,.json"
        onChange={(event) => {
          void read(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
      <Button busy={imports.isPending} onClick={() => input.current?.click()}>
        <Upload aria-hidden="true" />
        {imports.isPending ? words.importing : words.import}
      </Button>
    </>
  );
}
