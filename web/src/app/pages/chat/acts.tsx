import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RotateCw, SquareActivity, Undo2 } from "lucide-react";
import { Suspense, useState } from "react";
import type { Message } from "@/api/types";
import { EditMessage, Versions } from "@/features/conversations/extras";
import { FactsButton } from "@/features/conversations/notes/facts";
import { RemarkButton, Remarks } from "@/features/conversations/notes/remarks";
import { usersQuery } from "@/features/identity/queries";
import { aboutRun } from "@/features/runs/about/queries";
import { chat } from "@/lib/messages/chat";
import { talk } from "@/lib/messages/talk";
import { onDemand } from "@/lib/on-demand";
import { IconButton } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { useCan, useMe } from "../../session";

const Answered = onDemand(() => import("../../guard-around"), "Answered");
const UndoDialog = onDemand(() => import("@/features/guard/safety/snapshots"), "UndoDialog");

const words = chat.thread;

type Props = {
  message: Message;
  text: string;
  onRetry?: (() => void) | undefined;
  onDetails: () => void;
  mayWrite: boolean;
};

/** What can be done with a message. */
export function Acts({ message, text, onRetry, onDetails, mayWrite }: Props) {
  const can = useCan();
  const [undo, setUndo] = useState(false);
  const asked = message.role === "user";
  const changed = !asked && message.run && usesTools(message);
  return (
    <>
      {(message.versions ?? 1) > 1 && <Versions message={message} mayWrite={mayWrite} />}
      {asked && mayWrite && <EditMessage message={message} text={text} />}
      {text !== "" && <CopyButton text={text} label={words.copy} />}
      {onRetry && (
        <IconButton label={words.retry} onClick={onRetry}>
          <RotateCw aria-hidden="true" />
        </IconButton>
      )}
      <RemarkButton conversation={message.conversation} message={message.id} />
      {!asked && (
        <>
          <FactsButton
            message={message}
            load={aboutRun}
            more={
              message.run && (
                <Link to="/traces/$run" params={{ run: message.run }} className="link">
                  {talk.trace}
                </Link>
              )
            }
          />
          <IconButton label={words.details} onClick={onDetails}>
            <SquareActivity aria-hidden="true" />
          </IconButton>
        </>
      )}
      {changed && can("projects:write") && (
        <IconButton label={talk.undoChanges} onClick={() => setUndo(true)}>
          <Undo2 aria-hidden="true" />
        </IconButton>
      )}
      {undo && message.run && (
        <Suspense>
          <UndoDialog target={{ run: message.run }} onClose={() => setUndo(false)} />
        </Suspense>
      )}
    </>
  );
}

const usesTools = (message: Message) => message.parts.some((part) => part.kind === "tool_call");

/**
 * What stands below a message: its comments and, where an answer used no tools, what people said to its questions. Else that
 * stands with the tools.
 */
export function Under({ message }: { message: Message }) {
  const me = useMe();
  const can = useCan();
  const users = useQuery({ ...usersQuery, staleTime: 60_000, enabled: can("users:read") });
  return (
    <>
      {message.role === "assistant" && message.run && !usesTools(message) && (
        <Suspense>
          <Answered run={message.run} />
        </Suspense>
      )}
      <Remarks
        conversation={message.conversation}
        message={message.id}
        me={me.user.id}
        nameOf={(user) => nameIn(users.data?.data, user)}
        mayWrite={can("conversations:write")}
      />
    </>
  );
}

/** Who wrote a message, when it was somebody else. */
export function Author({ user }: { user: string }) {
  const can = useCan();
  const users = useQuery({ ...usersQuery, staleTime: 60_000, enabled: can("users:read") });
  return (
    <span className="text-small text-fg-3">{nameIn(users.data?.data, user) ?? talk.comments.someone}</span>
  );
}

function nameIn(users: readonly { id: string; name: string; user: string }[] | undefined, id: string) {
  const one = users?.find((user) => user.id === id);
  return one && (one.name || one.user);
}
