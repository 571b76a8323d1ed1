import { Bot, CircleStop, RotateCw, SquareActivity, TriangleAlert } from "lucide-react";
import { Fragment, lazy, memo, type ReactNode, Suspense } from "react";
import { saidIn, type ToolCall, type Turn, turnsOf } from "@/api/turns";
import type { Message, Trouble } from "@/api/types";
import { chat } from "@/lib/messages/chat";
import { clockTime, exactTime } from "@/lib/time";
import { Glyph } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { Markdown } from "@/ui/markdown";

const words = chat.thread;

const extras = () => import("./extras");
const Reasoning = lazy(() => extras().then((module) => ({ default: module.Reasoning })));
const Recalled = lazy(() => extras().then((module) => ({ default: module.Recalled })));
const Versions = lazy(() => extras().then((module) => ({ default: module.Versions })));
const Files = lazy(() => extras().then((module) => ({ default: module.Files })));
const EditMessage = lazy(() => extras().then((module) => ({ default: module.EditMessage })));

/** Draws what tools did; the page knows how. */
export type DrawCalls = (calls: readonly ToolCall[], run: string) => ReactNode;

/** How an agent is shown: its name and its hue. */
export type Speaker = { title: string; hue: string };

type UserProps = {
  text: string;
  /** As the server has it; absent while it is on its way. */
  message?: Message;
  mayWrite?: boolean;
};

export function UserMessage({ text, message, mayWrite }: UserProps) {
  const files = message?.parts.filter((part) => part.kind !== "text") ?? [];
  return (
    <article className="msg user-row" aria-label={words.you}>
      {message && (
        <div className="acts">
          <Suspense>
            {(message.versions ?? 1) > 1 && <Versions message={message} mayWrite={!!mayWrite} />}
            {mayWrite && <EditMessage message={message} text={text} />}
          </Suspense>
          <CopyButton text={text} label={words.copy} />
        </div>
      )}
      <div
        className="user-msg"
        style={message ? undefined : { opacity: 0.7 }}
        title={exactTime(message?.created_at)}
      >
        {files.length > 0 && (
          <Suspense>
            <Files parts={files} />
          </Suspense>
        )}
        {text}
      </div>
    </article>
  );
}

/** The turns of an answer: what was thought, said and done, in order. */
function Body({
  turns,
  run,
  calls,
  streaming,
}: {
  turns: readonly Turn[];
  run: string;
  calls: DrawCalls;
  streaming?: boolean;
}) {
  return turns.map((turn) => (
    <Fragment key={turn.turn}>
      {turn.reasoning !== "" && (
        <Suspense>
          <Reasoning text={turn.reasoning} open={!turn.done && turn.text === ""} />
        </Suspense>
      )}
      {(turn.text !== "" || !turn.done) && (
        <Markdown text={turn.text} streaming={!!streaming && !turn.done} />
      )}
      {turn.calls.length > 0 && calls(turn.calls, run)}
    </Fragment>
  ));
}

type Props = {
  message: Message;
  speaker: Speaker;
  error?: Trouble | undefined;
  /** Sends the question again; absent for people who may not write. */
  onRetry?: (() => void) | undefined;
  onDetails: () => void;
  calls: DrawCalls;
  mayWrite: boolean;
};

/** A finished answer: its text, how it ended, and what can be done with it. */
export const AssistantMessage = memo(function AssistantMessage({
  message,
  speaker,
  error,
  onRetry,
  onDetails,
  calls,
  mayWrite,
}: Props) {
  const turns = turnsOf(message.parts);
  const text = saidIn(turns);
  return (
    <article className="msg asst" aria-label={speaker.title}>
      <SpeakerMark speaker={speaker} />
      <div className="flex min-w-0 flex-col gap-2">
        <Head speaker={speaker} at={message.created_at} />
        <Body turns={turns} run={message.run ?? ""} calls={calls} />
        {message.state === "stopped" && <Stopped text={text} />}
        {message.state === "failed" && <Failure error={error} onRetry={onRetry} />}
        {message.notes?.recalled && (
          <Suspense>
            <Recalled items={message.notes.recalled} />
          </Suspense>
        )}
        <div className="acts -ml-2">
          {(message.versions ?? 1) > 1 && (
            <Suspense>
              <Versions message={message} mayWrite={mayWrite} />
            </Suspense>
          )}
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
export function StreamingMessage({
  turns,
  speaker,
  calls,
  note,
  children,
}: {
  turns: readonly Turn[];
  speaker: Speaker;
  calls: DrawCalls;
  note?: string | undefined;
  /** What it waits for. */
  children?: ReactNode;
}) {
  const silent = turns.every((turn) => turn.text === "" && turn.calls.length === 0);
  return (
    <article className="msg asst" aria-label={speaker.title} aria-busy="true">
      <SpeakerMark speaker={speaker} />
      <div className="flex min-w-0 flex-col gap-2 pb-2">
        <Head speaker={speaker} note={note ?? (silent ? words.thinking : undefined)} />
        <Body turns={children ? turns.slice(0, -1) : turns} run="" calls={calls} streaming />
        {children}
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
