import { useInfiniteQuery } from "@tanstack/react-query";
import { ArrowDown } from "lucide-react";
import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import type { Turn } from "@/api/turns";
import type { Message, Run } from "@/api/types";
import { paragraphCount } from "@/lib/markdown";
import { chat } from "@/lib/messages/chat";
import { Button } from "@/ui/button";
import { Empty, Problem, Skeleton } from "@/ui/states";
import {
  AssistantMessage,
  type DrawAround,
  type DrawCalls,
  type Speaker,
  StreamingMessage,
  UserMessage,
} from "./message";
import type { Outgoing } from "./outbox";
import { ordered, textOf } from "./patch";
import { messagesQuery } from "./queries";

const words = chat.thread;

const extras = () => import("./extras");
const Suggestions = lazy(() => extras().then((module) => ({ default: module.Suggestions })));
const FailedAnswer = lazy(() => extras().then((module) => ({ default: module.FailedAnswer })));

type Props = {
  conversation: string;
  speaker: (author: string) => Speaker;
  /** Newest first. */
  runs: readonly Run[];
  /** The answer being written, empty before its first word; undefined when none is. */
  writing: readonly Turn[] | undefined;
  /** What the run waits for, drawn under what it said. */
  needs?: ReactNode;
  calls: DrawCalls;
  around: DrawAround;
  sending: readonly Outgoing[];
  /** Sends a text; absent for people who may not write. */
  onSend?: ((text: string) => void) | undefined;
  onAgain?: ((message: string) => void) | undefined;
};

/** The messages of one conversation, newest at the bottom, following the end until one scrolls up. */
export function Thread(props: Props) {
  const { conversation, speaker, runs, writing, needs, calls, around, sending, onSend, onAgain } = props;
  const query = useInfiniteQuery(messagesQuery(conversation));
  const messages = useMemo(() => ordered(query.data), [query.data]);
  const pending = sending.filter((item) => !arrived(messages, item));
  const newest = runs[0];
  const answered = messages.some((message) => message.id === newest?.answer);
  const busy = (writing !== undefined && !answered) || pending.length > 0;
  const lost = newest?.state === "failed" && !answered && !busy;
  const list = useRef<VListHandle>(null);
  const [follow, setFollow] = useState(true);
  const rows = messages.length + pending.length + (busy || lost ? 1 : 0) + 1;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the end moves when rows or the streamed text grow
  useLayoutEffect(() => {
    if (follow) list.current?.scrollToIndex(Number.MAX_SAFE_INTEGER, { align: "end" });
  }, [rows, writing, follow]);

  if (!query.data) {
    if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />;
    return <Skeleton rows={5} height={16} className="tcol flex flex-1 flex-col gap-4 p-7" />;
  }
  if (messages.length === 0 && !busy && !lost) {
    return (
      <div className="grid flex-1 place-items-center">
        <Empty title={words.empty} body={words.emptyBody} />
      </div>
    );
  }
  const scrolled = (offset: number) => {
    const handle = list.current;
    if (handle) setFollow(offset + handle.viewportSize >= handle.scrollSize - 48);
  };
  const last = messages.at(-1);
  const again = (message: Message | undefined) =>
    onAgain && message && !busy ? () => onAgain(message.id) : undefined;
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <VList
        ref={list}
        className="min-h-0 flex-1"
        shift={query.isFetchingNextPage}
        onScroll={scrolled}
        role="log"
        aria-label={words.label}
        aria-live="off"
        aria-busy={busy}
        tabIndex={0}
      >
        {query.hasNextPage && (
          <div key="earlier" className="flex justify-center p-3">
            <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {words.earlier}
            </Button>
          </div>
        )}
        {messages.map((message) => (
          <Row key={message.id}>
            {message.role === "user" ? (
              <UserMessage
                text={textOf(message)}
                message={message}
                mayWrite={!!onSend && !busy}
                around={around}
              />
            ) : (
              <AssistantMessage
                message={message}
                speaker={speaker(message.author)}
                error={runs.find((run) => run.id === message.run)?.error}
                onRetry={again(message)}
                calls={calls}
                around={around}
                mayWrite={!!onSend && !busy}
              />
            )}
          </Row>
        ))}
        {pending.map((item) => (
          <Row key={item.key}>
            <UserMessage text={item.text} />
          </Row>
        ))}
        {busy && (
          <Row key={newest?.answer ?? "writing"}>
            <StreamingMessage
              turns={pending.some((item) => !item.mode) ? [] : (writing ?? [])}
              speaker={speaker(newest?.agent ?? "")}
              calls={calls}
              note={needs ? words.waiting : undefined}
            >
              {needs}
            </StreamingMessage>
          </Row>
        )}
        {lost && (
          <Row key="lost">
            <Suspense>
              <FailedAnswer speaker={speaker(newest.agent)} error={newest.error} onRetry={again(last)} />
            </Suspense>
          </Row>
        )}
        {onSend && !busy && last?.notes?.suggestions && (
          <Row key="suggestions">
            <Suspense>
              <Suggestions items={last.notes.suggestions} onPick={onSend} />
            </Suspense>
          </Row>
        )}
        <div key="end" className="h-8" />
      </VList>
      {!follow && (
        <button
          type="button"
          className="chip anim-fade absolute bottom-3 left-1/2 z-10 -translate-x-1/2 bg-raised"
          onClick={() => setFollow(true)}
        >
          <ArrowDown aria-hidden="true" />
          {words.jump}
        </button>
      )}
      <Announcer last={messages.at(-1)} writing={writing !== undefined} speaker={speaker} />
    </div>
  );
}

function Row({ children }: { children: ReactNode }) {
  return (
    <div className="px-4 pt-4 sm:px-7">
      <div className="tcol">{children}</div>
    </div>
  );
}

/** True once the server's copy of a message under way is in the list. */
function arrived(messages: readonly Message[], item: Outgoing): boolean {
  const since = Date.parse(item.at) - 60_000;
  return messages.some(
    (message) =>
      message.role === "user" && textOf(message) === item.text && Date.parse(message.created_at) > since,
  );
}

/** Tells a screen reader once that an answer is complete; streaming itself is silent. */
function Announcer({
  last,
  writing,
  speaker,
}: {
  last: Message | undefined;
  writing: boolean;
  speaker: Props["speaker"];
}) {
  const was = useRef(false);
  const [text, setText] = useState("");
  useEffect(() => {
    if (writing) was.current = true;
    else if (was.current && last?.role === "assistant") {
      was.current = false;
      setText(words.answered(speaker(last.author).title, paragraphCount(textOf(last))));
    }
  }, [last, writing, speaker]);
  return (
    <div className="sr-only" role="status" aria-live="polite">
      {text}
    </div>
  );
}
