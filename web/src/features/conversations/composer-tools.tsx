import {
  ChevronDown,
  CircleAlert,
  CircleStop,
  Clock,
  FileText,
  Mic,
  Navigation,
  Paperclip,
  X,
} from "lucide-react";
import { useRef } from "react";
import { bytes } from "@/lib/format";
import { talk } from "@/lib/messages/talk";
import { Button, IconButton } from "@/ui/button";
import { Menu, MenuItem } from "@/ui/menu";
import type { ComposerProps, Writing } from "./composer";
import type { FileDraft } from "./files/draft";
import { accepted } from "./files/judge";
import { contentOf } from "./queries";
import "./composer.css";

/** What is above the field: messages that wait, files of the message, and where files can be dropped. */
export function Above(props: ComposerProps & Writing & { over: boolean }) {
  return (
    <>
      <Queue {...props} />
      {props.files.length > 0 && (
        <ul className="files" aria-label={talk.files.label}>
          {props.files.map((file) => (
            <FileCard key={file.key} file={file} onRemove={() => props.remove(file.key)} />
          ))}
        </ul>
      )}
      {props.over && <p className="drophint">{talk.files.drop}</p>}
    </>
  );
}

/** Messages that wait for the running answer, for the connection, or for a second try. */
function Queue({ queued, online, onRemove, onRetry }: ComposerProps) {
  if (queued.length === 0) return null;
  return (
    <ul className="mb-2 flex flex-col gap-1" aria-label={talk.queue.label}>
      {queued.map((item) => (
        <li key={item.key} className="flex items-center gap-2 text-small text-fg-2">
          {item.state === "failed" ? (
            <CircleAlert className="text-bad" aria-hidden="true" />
          ) : (
            <Clock aria-hidden="true" />
          )}
          <span className="trunc flex-1">{item.text}</span>
          {(item.attachments?.length ?? 0) > 0 && <Paperclip aria-label={talk.files.label} />}
          <span className="text-micro text-fg-3">
            {item.state === "failed"
              ? talk.queue.failed(item.error ?? "")
              : online
                ? talk.queue.label
                : talk.queue.offline}
          </span>
          {item.state === "failed" && (
            <Button look="ghost" onClick={() => onRetry(item.key)}>
              {talk.queue.retry}
            </Button>
          )}
          <button
            type="button"
            className="btn ghost icon"
            aria-label={talk.queue.remove}
            onClick={() => onRemove(item.key)}
          >
            <X aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** One file: what it is, how far it got, and why not. */
function FileCard({ file, onRemove }: { file: FileDraft; onRemove: () => void }) {
  const percent = Math.round((file.progress ?? 0) * 100);
  const picture =
    file.preview ??
    (file.media_type.startsWith("image/") && file.id
      ? contentOf({ kind: "image", url: `attachment:${file.id}` })
      : undefined);
  const state = file.error ?? (file.state === "sending" ? talk.files.sending(percent) : bytes(file.size));
  return (
    <li className={`file ${file.state}`}>
      <span className="thumb">
        {picture ? (
          <img src={picture} alt="" />
        ) : file.media_type.startsWith("audio/") ? (
          <Mic aria-hidden="true" />
        ) : (
          <FileText aria-hidden="true" />
        )}
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="trunc font-medium">{file.name}</span>
        <span className="state" role={file.state === "failed" ? "alert" : "status"}>
          {state}
        </span>
        {file.state === "sending" && <progress max={100} value={percent} aria-label={file.name} />}
      </span>
      <IconButton label={talk.files.remove(file.name)} onClick={onRemove}>
        <X aria-hidden="true" />
      </IconButton>
    </li>
  );
}

/** Opens the file picker. */
export function AttachButton({ attach }: Pick<Writing, "attach">) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-attach
        accept={accepted}
        onChange={(event) => {
          attach([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <IconButton label={talk.files.attach} className="-ml-1.5" onClick={() => input.current?.click()}>
        <Paperclip aria-hidden="true" />
      </IconButton>
    </>
  );
}

const apple = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

/** While an answer is being written: wait for it, tell it now, or stop it. */
export function SendModes({ send }: Pick<Writing, "send">) {
  return (
    <Menu
      side="top"
      align="end"
      trigger={
        <IconButton label={talk.modes.label}>
          <ChevronDown aria-hidden="true" />
        </IconButton>
      }
    >
      <MenuItem icon={<Clock aria-hidden="true" />} keys="↵" onSelect={() => send()}>
        {talk.modes.queue}
      </MenuItem>
      <MenuItem
        icon={<Navigation aria-hidden="true" />}
        keys={apple ? "⌘↵" : "Ctrl ↵"}
        onSelect={() => send("steer")}
      >
        {talk.modes.steer}
      </MenuItem>
      <MenuItem icon={<CircleStop aria-hidden="true" />} onSelect={() => send("interrupt")}>
        {talk.modes.interrupt}
      </MenuItem>
    </Menu>
  );
}
