import { useQuery } from "@tanstack/react-query";
import { MessageSquare, X } from "lucide-react";
import { type FormEvent, useState, useSyncExternalStore } from "react";
import { common } from "@/lib/messages/common";
import { talk } from "@/lib/messages/talk";
import { Avatar, Time } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { toast } from "@/ui/toast";
import { commentsQuery, useComment, useUncomment } from "./queries";
import "./notes.css";

const words = talk.comments;

let open: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

/** Opens or closes the comments of a message; the button and the thread stand in two places. */
export function toggleRemarks(message: string): void {
  const next = new Set(open);
  if (!next.delete(message)) next.add(message);
  open = next;
  for (const listener of listeners) listener();
}

function useOpen(message: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open.has(message),
  );
}

function useRemarks(conversation: string, message: string) {
  return useQuery({
    ...commentsQuery(conversation),
    select: (page) => page.data.filter((one) => one.message === message),
  });
}

/** Shows how many comments a message has and opens them. */
export function RemarkButton({ conversation, message }: { conversation: string; message: string }) {
  const comments = useRemarks(conversation, message);
  const shown = useOpen(message);
  const n = comments.data?.length ?? 0;
  return (
    <IconButton
      label={n > 0 ? words.count(n) : words.comment}
      aria-expanded={shown}
      onClick={() => toggleRemarks(message)}
    >
      <MessageSquare aria-hidden="true" />
    </IconButton>
  );
}

/** The comments of one message: folded to a line until they are opened. */
export function Remarks({
  conversation,
  message,
  me,
  nameOf,
  mayWrite,
}: {
  conversation: string;
  message: string;
  me: string;
  nameOf: (user: string) => string | undefined;
  mayWrite: boolean;
}) {
  const comments = useRemarks(conversation, message);
  const shown = useOpen(message);
  const remove = useUncomment(conversation);
  const list = comments.data ?? [];
  if (!shown && list.length === 0) return null;
  if (!shown)
    return (
      <button type="button" className="chip self-start" onClick={() => toggleRemarks(message)}>
        <MessageSquare aria-hidden="true" />
        {words.count(list.length)}
      </button>
    );
  return (
    <section className="remarks anim-fade" aria-label={words.title}>
      {list.length === 0 ? (
        <p className="text-fg-3">{words.emptyBody}</p>
      ) : (
        <ul className="flex flex-col gap-2">
          {list.map((one) => {
            const name = nameOf(one.user) ?? words.someone;
            return (
              <li key={one.id}>
                <Avatar name={name} />
                <div className="min-w-0 flex-1">
                  <p className="flex items-center gap-2">
                    <span className="font-medium">{name}</span>
                    <Time at={one.created_at} className="text-micro text-fg-3" />
                  </p>
                  <p className="whitespace-pre-wrap break-words">{one.text}</p>
                </div>
                {one.user === me && mayWrite && (
                  <IconButton
                    label={words.remove}
                    onClick={() =>
                      remove.mutate(one.id, { onError: (error) => toast.failed(error, common.errors.title) })
                    }
                  >
                    <X aria-hidden="true" />
                  </IconButton>
                )}
              </li>
            );
          })}
        </ul>
      )}
      {mayWrite && <RemarkForm conversation={conversation} message={message} />}
    </section>
  );
}

function RemarkForm({ conversation, message }: { conversation: string; message: string }) {
  const [text, setText] = useState("");
  const comment = useComment(conversation);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "") return;
    comment.mutate(
      { message, text: text.trim() },
      {
        onSuccess: () => setText(""),
        onError: (error) => toast.failed(error, common.errors.title),
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <textarea
        className="in min-h-9 flex-1"
        rows={1}
        maxLength={4000}
        aria-label={words.comment}
        placeholder={words.placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit(event);
        }}
      />
      <Button type="submit" busy={comment.isPending} disabled={text.trim() === ""}>
        {words.send}
      </Button>
    </form>
  );
}
