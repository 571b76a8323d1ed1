import { Fragment, type ReactNode, Suspense } from "react";
import { saidIn, type ToolCall, type Turn, turnsOf } from "@/api/turns";
import type { Message, Trouble } from "@/api/types";
import { chat } from "@/lib/messages/chat";
import { onDemand } from "@/lib/on-demand";
import { clockTime, exactTime } from "@/lib/time";
import { AgentIcon } from "@/ui/agent-icon";
import { Glyph } from "@/ui/bits";
import { Markdown } from "@/ui/markdown";

const words = chat.thread;

const extras = () => import("./extras");
const Reasoning = onDemand(extras, "Reasoning");
const Recalled = onDemand(extras, "Recalled");
const Stopped = onDemand(extras, "Stopped");
const Failure = onDemand(extras, "Failure");
const Files = onDemand(extras, "Files");

/** Draws what tools did; the page knows how. */
export type DrawCalls = (calls: readonly ToolCall[], run: string) => ReactNode;

/** Draws who wrote a message, what can be done with it, and what people remarked; the page knows how. */
export type DrawAround = (
  message: Message,
  place: "author" | "acts" | "under",
  given: { text: string; mayWrite: boolean; onRetry?: (() => void) | undefined },
) => ReactNode;

/** How an agent is shown: its title, its hue, and the name it has its sign by. */
export type Speaker = { name: string; title: string; hue: string };

type UserProps = {
  text: string;
  /** As the server has it; absent while it is on its way. */
  message?: Message;
  mayWrite?: boolean;
  around?: DrawAround;
};

export function UserMessage({ text, message, mayWrite, around }: UserProps) {
  const files = message?.parts.filter((part) => part.kind !== "text") ?? [];
  const draw = (place: "author" | "acts" | "under") =>
    message && around?.(message, place, { text, mayWrite: !!mayWrite });
  return (
    <article className="msg flex flex-col items-end gap-1" aria-label={words.you}>
      {draw("author")}
      <div className="user-row w-full">
        {message && <div className="acts">{draw("acts")}</div>}
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
      </div>
      {draw("under")}
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
  const atWork = turns.at(-2)?.calls.some((call) => call.state !== "done" && call.state !== "failed");
  return turns.map((turn) => (
    <Fragment key={turn.turn}>
      {turn.reasoning !== "" && (
        <Suspense>
          <Reasoning text={turn.reasoning} open={!turn.done && turn.text === ""} />
        </Suspense>
      )}
      {(turn.text !== "" || (!turn.done && !atWork)) && (
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
  calls: DrawCalls;
  around: DrawAround;
  mayWrite: boolean;
};

/** A finished answer: its text, how it ended, and what can be done with it. */
export function AssistantMessage({ message, speaker, error, onRetry, calls, around, mayWrite }: Props) {
  const turns = turnsOf(message.parts, message.notes?.calls);
  const text = saidIn(turns);
  return (
    <article className="msg asst" aria-label={speaker.title}>
      <SpeakerMark speaker={speaker} />
      <div className="flex min-w-0 flex-col gap-2">
        <Head speaker={speaker} at={message.created_at} />
        <Body turns={turns} run={message.run ?? ""} calls={calls} />
        <Suspense>
          {message.state === "stopped" && <Stopped text={text} />}
          {message.state === "failed" && <Failure error={error} onRetry={onRetry} />}
          {message.notes?.recalled && <Recalled items={message.notes.recalled} />}
        </Suspense>
        <div className="acts -mb-3 -ml-2">{around(message, "acts", { text, mayWrite, onRetry })}</div>
        {around(message, "under", { text, mayWrite })}
      </div>
    </article>
  );
}

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

export function SpeakerMark({ speaker }: { speaker: Speaker }) {
  return (
    <Glyph hue={speaker.hue} size="l">
      <AgentIcon name={speaker.name} />
    </Glyph>
  );
}

export function Head({ speaker, at, note }: { speaker: Speaker; at?: string; note?: string | undefined }) {
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
