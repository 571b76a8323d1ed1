import { ArrowUp, Square } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useRef,
  useState,
} from "react";
import type { Agent } from "@/api/types";
import { hueOf } from "@/lib/format";
import { chat } from "@/lib/messages/chat";
import { arrive, onDemand } from "@/lib/on-demand";
import { AgentIcon } from "@/ui/agent-icon";
import { Glyph } from "@/ui/bits";
import { Menu, MenuChoices, MenuLabel } from "@/ui/menu";
import type { FileDraft } from "./files/draft";
import { drafts, type Outgoing, type Sending } from "./outbox";

const words = chat.composer;

const uploads = () => arrive(() => import("./files/upload"));
const tools = () => import("./composer-tools");
const Above = onDemand(tools, "Above");
const AttachButton = onDemand(tools, "AttachButton");
const SendModes = onDemand(tools, "SendModes");

/** What the parts around the field may do with the message that is being written. */
export type Writing = {
  text: string;
  setText: (text: string) => void;
  files: readonly FileDraft[];
  attach: (files: readonly File[]) => void;
  remove: (key: string) => void;
  /** Sends what is written; in a mode when an answer is being written. */
  send: (mode?: Sending["mode"]) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  /** Answers keys before the field does: true when it used one. */
  keys: RefObject<((event: KeyboardEvent) => boolean) | undefined>;
};

export type ComposerProps = {
  conversation: string | undefined;
  agents: readonly Agent[];
  /** Undefined: none is known yet. An empty name stands for whoever fits. */
  agent: Pick<Agent, "name" | "title" | "hue"> | undefined;
  onAgent: (id: string) => void;
  running: boolean;
  online: boolean;
  queued: readonly Outgoing[];
  onSend: (message: Sending) => void;
  onStop: () => void;
  onRemove: (key: string) => void;
  onRetry: (key: string) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  /** Commands and names, offered while they are typed. */
  complete?: (writing: Writing) => ReactNode;
  /** After the agent: how carefully it is watched. */
  chips?: ReactNode;
  /** Beside the send button: how full the context is, the microphone. */
  beside?: (writing: Writing) => ReactNode;
};

/** Where messages are written. Enter sends, Shift Enter makes a line, the draft survives a reload. */
export function Composer(props: ComposerProps) {
  const { conversation, agent, agents, running, onSend, onStop, field, queued } = props;
  const [text, setText] = useState(() => drafts.read(conversation));
  const [files, setFiles] = useState<readonly FileDraft[]>(() =>
    drafts.files(conversation).map((file) => ({ ...file, key: file.id, state: "done" })),
  );
  const [over, setOver] = useState(false);
  // Sent before it was known to whom: it goes as soon as that is, unless it is written on.
  const [early, setEarly] = useState(false);
  const keys = useRef<((event: KeyboardEvent) => boolean) | undefined>(undefined);
  useDraft(conversation, text);

  const change = (next: (files: readonly FileDraft[]) => readonly FileDraft[]) =>
    setFiles((before) => {
      const after = next(before);
      drafts.keepFiles(
        conversation,
        after.flatMap(({ state, id, name, media_type, size }) =>
          state === "done" ? { id, name, media_type, size } : [],
        ),
      );
      return after;
    });
  const attach = (list: readonly File[]) => {
    const already = files.filter((file) => file.state !== "failed").length;
    if (list.length > 0) void uploads().then((module) => module.attach(list, already, change));
  };
  const ready = text.trim() !== "" && !!agent && files.every((file) => file.state !== "sending");
  const send = (mode?: Sending["mode"]) => {
    if (!ready) {
      setEarly(!agent && text.trim() !== "");
      return;
    }
    const message = text.trim();
    const named = /^@([\w-]+)\s/.exec(message)?.[1];
    const done = files.filter((file) => file.state === "done");
    onSend({
      text: message,
      mode: running ? mode : undefined,
      agent: agents.find((one) => one.name === named)?.name,
      ...(done.length > 0 ? { attachments: done } : {}),
    });
    setText("");
    change(() => []);
  };
  useEffect(() => {
    if (!early || !agent) return;
    setEarly(false);
    send();
  });
  const pressed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing || keys.current?.(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      send(event.metaKey || event.ctrlKey ? "steer" : undefined);
    } else if (event.key === "Escape" && running) {
      event.stopPropagation();
      onStop();
    } else if (event.key === "ArrowUp" && text === "") {
      [...document.querySelectorAll<HTMLElement>("[data-edit]")].at(-1)?.click();
    }
  };
  const writing: Writing = {
    text,
    setText,
    files,
    attach,
    remove: (key) => change((list) => list.filter((file) => file.key !== key)),
    send,
    field,
    keys,
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping files is one of three ways; the button is for everyone
    <div
      className={over ? "box over" : "box"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        attach([...event.dataTransfer.files]);
      }}
    >
      <Suspense>
        {(queued.length > 0 || files.length > 0 || over) && <Above {...props} {...writing} over={over} />}
        {props.complete?.(writing)}
      </Suspense>
      <textarea
        ref={field}
        rows={1}
        aria-label={words.label}
        placeholder={
          files.length > 0 ? words.withFiles : running ? words.running : words.placeholder(agent?.title ?? "")
        }
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setEarly(false);
        }}
        onKeyDown={pressed}
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return;
          event.preventDefault();
          attach([...event.clipboardData.files]);
        }}
        enterKeyHint="send"
      />
      <div className="mt-2 flex items-center gap-1.5">
        <Suspense fallback={<span className="btn ghost icon" />}>
          <AttachButton attach={attach} />
        </Suspense>
        <AgentChip {...props} />
        <Suspense>{props.chips}</Suspense>
        <span className="flex-1" />
        <Suspense>
          {props.beside?.(writing)}
          {running && ready && <SendModes send={send} />}
        </Suspense>
        {running && text.trim() === "" ? (
          <button type="button" className="send" aria-label={words.stop} onClick={onStop}>
            <Square aria-hidden="true" fill="currentColor" />
          </button>
        ) : (
          <button
            type="button"
            className="send"
            aria-label={words.send}
            disabled={!ready}
            onClick={() => send()}
          >
            <ArrowUp aria-hidden="true" />
          </button>
        )}
      </div>
    </div>
  );
}

/** Keeps what is typed on the device, a moment after the last key. */
function useDraft(conversation: string | undefined, text: string) {
  const saved = useRef(text);
  useEffect(() => {
    if (saved.current === text) return;
    const save = () => {
      saved.current = text;
      drafts.write(conversation, text);
    };
    const timer = setTimeout(save, 200);
    return () => {
      clearTimeout(timer);
      save();
    };
  }, [text, conversation]);
}

function AgentChip({ agents, agent, onAgent }: ComposerProps) {
  const chip = (
    <>
      <Glyph hue={agent ? hueOf(agent.name, agent.hue) : "h-iris"}>
        <AgentIcon name={agent?.name ?? ""} />
      </Glyph>
      <span className="trunc">{agent?.title ?? words.agent}</span>
    </>
  );
  if (agents.length < 2) return <span className="chip min-w-0">{chip}</span>;
  return (
    <Menu
      side="top"
      trigger={
        <button type="button" className="chip min-w-0">
          {chip}
        </button>
      }
    >
      <MenuLabel>{words.agent}</MenuLabel>
      <MenuChoices
        value={agent?.name ?? ""}
        onChange={onAgent}
        options={[
          { value: "", label: words.auto },
          ...agents.map((one) => ({ value: one.name, label: one.title })),
        ]}
      />
    </Menu>
  );
}
