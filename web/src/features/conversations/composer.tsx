import { ArrowUp, Bot, CircleAlert, Clock, Square, X } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { Agent } from "@/api/types";
import { hueOf } from "@/lib/format";
import { chat } from "@/lib/messages/chat";
import { Glyph } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Menu, MenuChoices, MenuLabel } from "@/ui/menu";
import { drafts, type Outgoing } from "./outbox";

const words = chat.composer;

type Props = {
  conversation: string | undefined;
  agents: readonly Agent[];
  agent: Agent | undefined;
  onAgent: (id: string) => void;
  running: boolean;
  online: boolean;
  queued: readonly Outgoing[];
  onSend: (text: string) => void;
  onStop: () => void;
  onRemove: (key: string) => void;
  onRetry: (key: string) => void;
  field: RefObject<HTMLTextAreaElement | null>;
};

/** Where messages are written. Enter sends, Shift Enter makes a line, the draft survives a reload. */
export function Composer(props: Props) {
  const { conversation, agent, running, onSend, onStop, field } = props;
  const [text, setText] = useState(() => drafts.read(conversation));
  const saved = useRef(text);

  useEffect(() => {
    if (saved.current === text) return;
    const timer = setTimeout(() => {
      saved.current = text;
      drafts.write(conversation, text);
    }, 200);
    return () => {
      clearTimeout(timer);
      saved.current = text;
      drafts.write(conversation, text);
    };
  }, [text, conversation]);

  const send = () => {
    const message = text.trim();
    if (message === "" || !agent) return;
    onSend(message);
    setText("");
  };
  const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && running) {
      event.stopPropagation();
      onStop();
    }
  };
  return (
    <div className="box">
      <Queue {...props} />
      <textarea
        ref={field}
        rows={1}
        aria-label={words.label}
        placeholder={running ? words.running : words.placeholder(agent?.title ?? "")}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={keys}
        enterKeyHint="send"
      />
      <div className="mt-2 flex items-center gap-2">
        <AgentChip {...props} />
        <span className="flex-1" />
        <span className="hidden text-micro text-fg-3 lg:inline">{words.hint}</span>
        {running && text.trim() === "" ? (
          <button type="button" className="send" aria-label={words.stop} onClick={onStop}>
            <Square aria-hidden="true" fill="currentColor" />
          </button>
        ) : (
          <button
            type="button"
            className="send"
            aria-label={words.send}
            disabled={text.trim() === "" || !agent}
            onClick={send}
          >
            <ArrowUp aria-hidden="true" />
          </button>
        )}
      </div>
    </div>
  );
}

function AgentChip({ agents, agent, onAgent }: Props) {
  const chip = (
    <>
      <Glyph hue={agent ? hueOf(agent.name, agent.hue) : "h-iris"}>
        <Bot />
      </Glyph>
      {agent?.title ?? words.agent}
    </>
  );
  if (agents.length < 2) return <span className="chip">{chip}</span>;
  return (
    <Menu
      side="top"
      trigger={
        <button type="button" className="chip">
          {chip}
        </button>
      }
    >
      <MenuLabel>{words.agent}</MenuLabel>
      <MenuChoices
        value={agent?.name ?? ""}
        onChange={onAgent}
        options={agents.map((one) => ({ value: one.name, label: one.title }))}
      />
    </Menu>
  );
}

/** Messages that wait for the running answer, for the connection, or for a second try. */
function Queue({ queued, online, onRemove, onRetry }: Props) {
  if (queued.length === 0) return null;
  return (
    <ul className="mb-2 flex flex-col gap-1" aria-label={words.queued}>
      {queued.map((item) => (
        <li key={item.key} className="flex items-center gap-2 text-small text-fg-2">
          {item.state === "failed" ? (
            <CircleAlert className="text-bad" aria-hidden="true" />
          ) : (
            <Clock aria-hidden="true" />
          )}
          <span className="trunc flex-1">{item.text}</span>
          <span className="text-micro text-fg-3">
            {item.state === "failed"
              ? `${words.failed}. ${item.error ?? ""}`
              : online
                ? words.queued
                : words.offline}
          </span>
          {item.state === "failed" && (
            <Button look="ghost" onClick={() => onRetry(item.key)}>
              {chat.thread.retry}
            </Button>
          )}
          <button
            type="button"
            className="btn ghost icon"
            aria-label={words.remove}
            onClick={() => onRemove(item.key)}
          >
            <X aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}
