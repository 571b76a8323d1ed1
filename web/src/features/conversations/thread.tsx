import { useInfiniteQuery } from "@tanstack/react-query";
import { ArrowDown } from "lucide-react";
import {
  memo,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { VList, type VListHandle } from "virtua";
import type { Message, Run, Trouble } from "@/api/types";
import { paragraphCount } from "@/lib/markdown";
import { chat } from "@/lib/messages/chat";
import { onDemand } from "@/lib/on-demand";
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
const Suggestions = onDemand(extras, "Suggestions");
const FailedAnswer = onDemand(extras, "FailedAnswer");

type Props = {
  conversation: string;
  speaker: (author: string) => Speaker;
  /** Newest first. */
  runs: readonly Run[];
  /** Draws the answer being written; undefined when none is. */
  writing: DrawWriting | undefined;
  calls: DrawCalls;
  around: DrawAround;
  sending: readonly Outgoing[];
  /** Sends a text; absent for people who may not write. */
  onSend?: ((text: string) => void) | undefined;
  onAgain?: ((message: string) => void) | undefined;
};

/** Draws an answer that is being written, without its words where another question was asked since. */
export type DrawWriting = (speaker: Speaker, silent: boolean) => ReactNode;

/** One row of the list. */
type Item =
  | { key: string; message: Message }
  | { key: string; pending: Outgoing }
  | { key: string; part: "earlier" | "writing" | "lost" | "suggestions" | "end" };

/** How near the beginning of what is loaded earlier messages are asked for, in pixels. */
const ahead = 2000;

/** Whether nothing came since a run, on the branch that is shown. */
function isLast(run: Run, messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  const since = last?.role === "assistant" && Date.parse(last.created_at) > Date.parse(run.created_at);
  return !since && messages.some((message) => message.id === run.question);
}

/** The messages of one conversation, newest at the bottom, following the end until one scrolls up. */
export function Thread(props: Props) {
  const { conversation, speaker, runs, writing, sending, onSend } = props;
  const query = useInfiniteQuery(messagesQuery(conversation));
  const messages = useMemo(() => ordered(query.data), [query.data]);
  const pending = sending.filter((item) => !arrived(messages, item));
  const newest = runs[0];
  const answered = messages.some((message) => message.id === newest?.answer);
  const busy = (writing !== undefined && !answered) || pending.length > 0;
  const last = messages.at(-1);
  const lost = newest?.state === "failed" && !answered && !busy && isLast(newest, messages);
  const list = useRef<VListHandle>(null);
  const [follow, setFollow] = useState(true);
  const frame = useRef<HTMLDivElement>(null);
  const at = useRef(0);
  const [sent, setSent] = useState(sending.length);
  if (sent !== sending.length) {
    setSent(sending.length);
    if (sending.length > sent) setFollow(true); // who writes wants to see the answer
  }
  const said = useMemo<Item[]>(() => messages.map((message) => ({ key: message.id, message })), [messages]);
  const items: Item[] = [
    ...(query.hasNextPage ? [{ key: "earlier", part: "earlier" as const }] : []),
    ...said,
    ...pending.map((item) => ({ key: item.key, pending: item })),
    // The newest run may be the one before: then its answer has its row already, and a key is nobody else's.
    ...(busy ? [{ key: (!answered && newest?.answer) || "writing", part: "writing" as const }] : []),
    ...(lost ? [{ key: "lost", part: "lost" as const }] : []),
    ...(onSend && !busy && last?.notes?.suggestions
      ? [{ key: "suggestions", part: "suggestions" as const }]
      : []),
    { key: "end", part: "end" },
  ];

  // biome-ignore lint/correctness/useExhaustiveDependencies: the end moves when there are more rows
  useLayoutEffect(() => {
    if (follow) list.current?.scrollToIndex(Number.MAX_SAFE_INTEGER, { align: "end" });
  }, [items.length, follow]);

  const earlier = () => {
    if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever is at the beginning when a page has come wants the next
  useEffect(() => {
    const handle = list.current;
    if (handle && !follow && !query.error && handle.scrollOffset < ahead) earlier();
  }, [messages.length]);

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
    if (!handle) return;
    // Only a person goes up; rows that grow move the end away from the place.
    if (offset + handle.viewportSize >= handle.scrollSize - 48) setFollow(true);
    else if (offset < at.current) setFollow(false);
    at.current = offset;
    if (offset < ahead && handle.scrollSize > handle.viewportSize && !query.error) earlier();
  };
  const part = (which: "earlier" | "writing" | "lost" | "suggestions" | "end") => {
    switch (which) {
      case "earlier":
        return (
          <div className="flex justify-center p-3">
            <Button busy={query.isFetchingNextPage} onClick={earlier}>
              {words.earlier}
            </Button>
          </div>
        );
      case "writing":
        return writing ? (
          writing(
            speaker(newest?.agent ?? ""),
            pending.some((item) => !item.mode),
          )
        ) : (
          <StreamingMessage turns={[]} speaker={speaker(newest?.agent ?? "")} calls={props.calls} />
        );
      case "lost":
        return (
          <FailedAnswer
            speaker={speaker(newest?.agent ?? "")}
            error={newest?.error}
            onRetry={props.onAgain && last ? () => props.onAgain?.(last.id) : undefined}
          />
        );
      case "suggestions":
        return <Suggestions items={last?.notes?.suggestions ?? []} onPick={onSend ?? (() => undefined)} />;
      case "end":
        return <div className="h-4" />;
    }
  };
  const draw = (item: Item) => {
    if ("pending" in item) return <UserMessage text={item.pending.text} />;
    if ("part" in item) return <Suspense>{part(item.part)}</Suspense>;
    const { message } = item;
    return (
      <Said
        message={message}
        speaker={speaker}
        error={message.state === "failed" ? runs.find((run) => run.id === message.run)?.error : undefined}
        onAgain={busy ? undefined : props.onAgain}
        calls={props.calls}
        around={props.around}
        mayWrite={!!onSend && !busy}
      />
    );
  };
  return (
    <div ref={frame} className="relative flex min-h-0 flex-1 flex-col">
      <VList
        ref={list}
        data={items}
        className="min-h-0 flex-1"
        shift={query.isFetchingNextPage}
        onScroll={scrolled}
        role="log"
        aria-label={words.label}
        aria-live="off"
        aria-busy={busy}
        tabIndex={0}
      >
        {(item) => <Row key={item.key} item={item} draw={draw} />}
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
      <Follow frame={frame} on={follow} />
      <Announcer last={last} writing={writing !== undefined} speaker={speaker} />
    </div>
  );
}

/** Stays at the end when something grows: the answer being written, a picture, a lane that opens. */
function Follow({ frame, on }: { frame: RefObject<HTMLElement | null>; on: boolean }) {
  useEffect(() => {
    const box = frame.current?.firstElementChild;
    if (!on || !box?.firstElementChild || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => {
      box.scrollTop = box.scrollHeight;
    });
    observer.observe(box.firstElementChild);
    return () => observer.disconnect();
  }, [frame, on]);
  return null;
}

/** A message that is in the list. It is drawn again only when something of it is another. */
const Said = memo(function Said({
  message,
  speaker,
  error,
  onAgain,
  calls,
  around,
  mayWrite,
}: {
  message: Message;
  error: Trouble | undefined;
  mayWrite: boolean;
} & Pick<Props, "speaker" | "onAgain" | "calls" | "around">) {
  if (message.role === "user")
    return <UserMessage text={textOf(message)} message={message} mayWrite={mayWrite} around={around} />;
  return (
    <AssistantMessage
      message={message}
      speaker={speaker(message.author)}
      error={error}
      onRetry={onAgain ? () => onAgain(message.id) : undefined}
      calls={calls}
      around={around}
      mayWrite={mayWrite}
    />
  );
});

/** A row is drawn again when the thread is, not whenever the list moves or measures it. */
const Row = memo(function Row({ item, draw }: { item: Item; draw: (item: Item) => ReactNode }) {
  return (
    <div className="px-4 pt-4 sm:px-7">
      <div className="tcol">{draw(item)}</div>
    </div>
  );
});

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
