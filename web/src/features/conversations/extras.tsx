import { useQuery } from "@tanstack/react-query";
import {
  Brain,
  ChevronLeft,
  ChevronRight,
  CircleStop,
  CornerDownRight,
  FileText,
  Pencil,
  TriangleAlert,
} from "lucide-react";
import { type FormEvent, useState } from "react";
import { isShown } from "@/api/files";
import type { Message, Part, Trouble } from "@/api/types";
import { chat } from "@/lib/messages/chat";
import { common } from "@/lib/messages/common";
import { work as words } from "@/lib/messages/work";
import { Button, IconButton } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Pictures } from "@/ui/pictures";
import { toast } from "@/ui/toast";
import { Head, type Speaker, SpeakerMark } from "./message";
import { contentOf, useEditMessage, useSaveConversation, versionsQuery } from "./queries";
import "./composer.css";

/** What a model thought before it spoke, folded to one line. */
export function Reasoning({ text, open }: { text: string; open: boolean }) {
  return (
    <details className="text-small text-fg-3" open={open}>
      <summary className="flex min-h-6 cursor-pointer items-center gap-2">
        <Brain className="!h-3.5 !w-3.5" aria-hidden="true" />
        {open ? words.thinking : words.thought}
      </summary>
      <p className="mt-1 whitespace-pre-wrap border-l border-line-2 pl-3">{text}</p>
    </details>
  );
}

/** What the agent remembered when it answered, with where it came from. */
export function Recalled({ items }: { items: NonNullable<NonNullable<Message["notes"]>["recalled"]> }) {
  return (
    <details className="text-small text-fg-3">
      <summary className="flex min-h-6 cursor-pointer items-center gap-2">
        <Brain className="!h-3.5 !w-3.5" aria-hidden="true" />
        {words.recalled(items.length)}
      </summary>
      <ul className="mt-1 flex flex-col gap-1 border-l border-line-2 pl-3">
        {items.map((item) => (
          <li key={item.id}>
            <span className="text-fg-2">{item.text}</span> {item.source && words.from(item.source)}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Goes between the messages in one place: edits of a question, repeated answers. */
export function Versions({ message, mayWrite }: { message: Message; mayWrite: boolean }) {
  const versions = useQuery(versionsQuery(message.conversation, message.id, message.versions ?? 1));
  const save = useSaveConversation();
  const list = versions.data?.data ?? [];
  const at = list.findIndex((one) => one.id === message.id);
  const go = (to: number) => {
    const tip = list[to]?.tip;
    if (tip)
      save.mutate(
        { id: message.conversation, head: tip },
        { onError: (error) => toast.failed(error, common.errors.title) },
      );
  };
  if (at < 0) return null;
  return (
    <span className="num flex items-center text-small text-fg-3">
      <IconButton label={words.previous} disabled={!mayWrite || at === 0} onClick={() => go(at - 1)}>
        <ChevronLeft aria-hidden="true" />
      </IconButton>
      <span role="img" aria-label={words.version(at + 1, list.length)}>
        {at + 1}/{list.length}
      </span>
      <IconButton
        label={words.next}
        disabled={!mayWrite || at === list.length - 1}
        onClick={() => go(at + 1)}
      >
        <ChevronRight aria-hidden="true" />
      </IconButton>
    </span>
  );
}

/** Says a question anew: the old one and its answer stay as another version. */
export function EditMessage({ message, text }: { message: Message; text: string }) {
  const [draft, setDraft] = useState<string>();
  const edit = useEditMessage();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!draft?.trim()) return;
    edit.mutate(
      { conversation: message.conversation, message: message.id, text: draft.trim() },
      {
        onSuccess: () => setDraft(undefined),
        onError: (error) => toast.failed(error, common.errors.title),
      },
    );
  };
  return (
    <>
      <IconButton label={words.edit} data-edit onClick={() => setDraft(text)}>
        <Pencil aria-hidden="true" />
      </IconButton>
      <Dialog open={draft !== undefined} title={words.edit} onClose={() => setDraft(undefined)}>
        <form onSubmit={submit} className="flex flex-col gap-3">
          <textarea
            className="in min-h-32 w-full py-2"
            aria-label={words.edit}
            value={draft ?? ""}
            onChange={(event) => setDraft(event.target.value)}
          />
          <DialogActions>
            <Button onClick={() => setDraft(undefined)}>{common.actions.cancel}</Button>
            <Button type="submit" look="solid" busy={edit.isPending} disabled={!draft?.trim()}>
              {common.actions.retry}
            </Button>
          </DialogActions>
        </form>
      </Dialog>
    </>
  );
}

/** The files of a message: pictures are shown, the rest can be downloaded. */
export function Files({ parts }: { parts: readonly Part[] }) {
  const seen = parts.filter((part) => part.kind === "image" && contentOf(part) && isShown(part.media_type));
  return (
    <div className="mb-2 flex flex-wrap gap-2">
      {seen.length > 0 && (
        <Pictures
          items={seen.map((part) => ({ src: contentOf(part) ?? "", alt: part.name ?? words.attached }))}
        />
      )}
      {parts.map((part) => {
        const href = contentOf(part);
        if (seen.includes(part)) return null;
        return (
          <a key={href ?? part.name} href={href} className="chip" download={part.name}>
            <FileText aria-hidden="true" />
            {part.name ?? words.attached}
          </a>
        );
      })}
    </div>
  );
}

/** What one could ask next. */
export function Suggestions({ items, onPick }: { items: readonly string[]; onPick: (text: string) => void }) {
  return (
    <ul className="suggest" aria-label={words.suggestions}>
      {items.map((text) => (
        <li key={text}>
          <button type="button" className="chip" onClick={() => onPick(text)}>
            <CornerDownRight aria-hidden="true" />
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A run that failed before it said anything. */
export function FailedAnswer({
  speaker,
  error,
  onRetry,
}: {
  speaker: Speaker;
  error: Trouble | undefined;
  onRetry?: (() => void) | undefined;
}) {
  return (
    <article className="msg asst" aria-label={speaker.title}>
      <SpeakerMark speaker={speaker} />
      <div className="flex min-w-0 flex-col gap-2">
        <Head speaker={speaker} />
        <Failure error={error} onRetry={onRetry} />
      </div>
    </article>
  );
}

/** An answer that somebody stopped. */
export function Stopped({ text }: { text: string }) {
  const count = text.split(/\s+/).filter(Boolean).length;
  return (
    <p className="flex items-center gap-2 text-small text-fg-3">
      <CircleStop aria-hidden="true" />
      {count === 0 ? chat.thread.stoppedEmpty : chat.thread.stopped(count)}
    </p>
  );
}

/** What went wrong with this answer, why, and what to do: in the message, never only in a toast. */
export function Failure({
  error,
  onRetry,
}: {
  error: Trouble | undefined;
  onRetry?: (() => void) | undefined;
}) {
  return (
    <div role="alert" className="card flex gap-3 p-3">
      <TriangleAlert className="mt-0.5 text-bad" aria-hidden="true" />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-medium">{chat.thread.failed}</p>
        <p className="text-fg-2">{error?.message ?? chat.thread.failedUnknown}</p>
        {error?.hint && <p className="text-fg-3">{error.hint}</p>}
        {onRetry && (
          <div className="mt-1">
            <Button onClick={onRetry}>{chat.thread.retry}</Button>
          </div>
        )}
      </div>
    </div>
  );
}
