import { Bot, CircleStop, RotateCw, SquareActivity, TriangleAlert } from "lucide-react";
import { memo } from "react";
import type { Message, Trouble } from "@/api/types";
import { chat } from "@/lib/messages/chat";
import { clockTime, exactTime } from "@/lib/time";
import { Glyph } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { Markdown } from "@/ui/markdown";
import { textOf } from "./patch";

const words = chat.thread;

/** How an agent is shown: its name and its hue. */
export type Speaker = { title: string; hue: string };

export function UserMessage({ text, at, pending }: { text: string; at?: string; pending?: boolean }) {
  return (
    <article className="msg user-row" aria-label={words.you}>
      {!pending && (
        <div className="acts">
          <CopyButton text={text} label={words.copy} />
        </div>
      )}
      <div className="user-msg" style={pending ? { opacity: 0.7 } : undefined} title={exactTime(at)}>
        {text}
      </div>
    </article>
  );
}

type Props = {
  message: Message;
  speaker: Speaker;
  error?: Trouble | undefined;
  /** Sends the question again; absent for people who may not write. */
  onRetry?: (() => void) | undefined;
  onDetails: () => void;
};

/** A finished answer: its text, how it ended, and what can be done with it. */
export const AssistantMessage = memo(function AssistantMessage({
  message,
  speaker,
  error,
  onRetry,
  onDetails,
}: Props) {
  const text = textOf(message);
  return (
    <article className="msg asst" aria-label={speaker.title}>
      <SpeakerMark speaker={speaker} />
      <div className="flex min-w-0 flex-col gap-2">
        <Head speaker={speaker} at={message.created_at} />
        {text !== "" && <Markdown text={text} />}
        {message.state === "stopped" && <Stopped text={text} />}
        {message.state === "failed" && <Failure error={error} onRetry={onRetry} />}
        <div className="acts -ml-2">
          {text !== "" && <CopyButton text={text} label={words.copy} />}
          {onRetry && (
            <IconButton label={words.retry} onClick={onRetry}>
              <RotateCw aria-hidden="true" />
            </IconButton>
          )}
          <IconButton label={words.details} onClick={onDetails}>
            <SquareActivity aria-hidden="true" />
          </IconButton>
        </div>
      </div>
    </article>
  );
});

/** An answer that is being written; before its first word it says so. */
export function StreamingMessage({ text, speaker }: { text: string; speaker: Speaker }) {
  return (
    <article className="msg asst" aria-label={speaker.title} aria-busy="true">
      <SpeakerMark speaker={speaker} />
      <div className="flex min-w-0 flex-col gap-2 pb-2">
        <Head speaker={speaker} note={text === "" ? words.thinking : undefined} />
        <Markdown text={text} streaming />
      </div>
    </article>
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

function SpeakerMark({ speaker }: { speaker: Speaker }) {
  return (
    <Glyph hue={speaker.hue} size="l">
      <Bot />
    </Glyph>
  );
}

function Head({ speaker, at, note }: { speaker: Speaker; at?: string; note?: string | undefined }) {
  return (
    <div className="flex h-[26px] items-center gap-2">
      <span className="font-semibold">{speaker.title}</span>
      {note && <span className="pulse text-small text-fg-3">{note}</span>}
      <span className="flex-1" />
      {at && (
        <time className="num text-micro text-fg-3" dateTime={at} title={exactTime(at)}>
          {clockTime(at)}
        </time>
      )}
    </div>
  );
}

function Stopped({ text }: { text: string }) {
  const count = text.split(/\s+/).filter(Boolean).length;
  return (
    <p className="flex items-center gap-2 text-small text-fg-3">
      <CircleStop aria-hidden="true" />
      {count === 0 ? words.stoppedEmpty : words.stopped(count)}
    </p>
  );
}

/** What went wrong with this answer, why, and what to do: in the message, never only in a toast. */
function Failure({ error, onRetry }: { error: Trouble | undefined; onRetry?: (() => void) | undefined }) {
  return (
    <div role="alert" className="card flex gap-3 p-3">
      <TriangleAlert className="mt-0.5 text-bad" aria-hidden="true" />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-medium">{words.failed}</p>
        <p className="text-fg-2">{error?.message ?? words.failedUnknown}</p>
        {error?.hint && <p className="text-fg-3">{error.hint}</p>}
        {onRetry && (
          <div className="mt-1">
            <Button onClick={onRetry}>{words.retry}</Button>
          </div>
        )}
      </div>
    </div>
  );
}
