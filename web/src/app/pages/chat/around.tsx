import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Bot, X } from "lucide-react";
import { Suspense, useEffect, useMemo } from "react";
import type { Agent } from "@/api/types";
import { type Command, Complete, type Offers } from "@/features/conversations/complete";
import type { Writing } from "@/features/conversations/composer";
import { type Messages, ordered, textOf } from "@/features/conversations/patch";
import { noteTyping } from "@/features/conversations/presence";
import { conversationKeys, useSaveConversation } from "@/features/conversations/queries";
import { Voice } from "@/features/conversations/voice";
import { catalogueQuery } from "@/features/models/queries";
import { hueOf } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { talk } from "@/lib/messages/talk";
import { onDemand } from "@/lib/on-demand";
import { Glyph } from "@/ui/bits";
import { toast } from "@/ui/toast";
import { useCan } from "../../session";
import { runCommand } from "../../shortcuts";
import { type Panel, useArchive } from "./archive";

const words = talk.complete;
const ContextMeter = onDemand(() => import("@/features/runs/context/meter"), "ContextMeter");

export type AroundProps = {
  writing: Writing;
  conversation: string | undefined;
  agents: readonly Agent[];
  agent: string | undefined;
  onAgent: (name: string) => void;
  model: string | undefined;
  onModel: (model: string | undefined) => void;
  onPanel?: (panel: Panel) => void;
};

/** The models one can ask for; nobody without the right is asked. */
function useModels() {
  const can = useCan();
  return useQuery({ ...catalogueQuery, staleTime: 60_000, enabled: can("models:read") }).data?.data;
}

/** Commands after a slash and agents after an at sign, offered while they are typed. */
export function Completing(props: AroundProps) {
  const { agents, writing } = props;
  const commands = useChatCommands(props);
  const offers = useMemo<Offers>(
    () => ({
      commands,
      names: agents.map((one) => ({
        id: one.name,
        text: `@${one.name}`,
        about: one.description,
        fill: `@${one.name} `,
        icon: (
          <Glyph hue={hueOf(one.name, one.hue)}>
            <Bot />
          </Glyph>
        ),
      })),
      labels: { commands: words.commands, names: words.agents, values: words.commands },
    }),
    [agents, commands],
  );
  return <Complete {...writing} offers={offers} />;
}

function useChatCommands(props: AroundProps): Command[] {
  const { conversation, agents, onAgent, onModel, onPanel, writing } = props;
  const navigate = useNavigate();
  const models = useModels();
  const archive = useArchive();
  const undo = useTakeBack(conversation, writing);
  const all: (Command | false | undefined)[] = [
    {
      name: "agent",
      usage: words.name,
      about: words.agent,
      values: [
        { value: "auto", about: words.auto },
        ...agents.map((one) => ({ value: one.name, about: one.description })),
      ],
      run: (name) => onAgent(name === "auto" ? "" : name),
    },
    {
      name: "model",
      usage: words.name,
      about: words.model,
      values: [
        { value: "auto", about: words.own },
        ...(models ?? []).map((one) => ({ value: one.id, about: one.name ?? "" })),
      ],
      run: (name) => onModel(name === "auto" ? undefined : name),
    },
    {
      name: "broadcast",
      usage: words.message,
      about: words.broadcast,
      words: true,
      run: (message) => void navigate({ to: "/chat/broadcast", search: message ? { q: message } : {} }),
    },
    {
      name: "attach",
      about: words.attach,
      run: () => document.querySelector<HTMLInputElement>("input[data-attach]")?.click(),
    },
    !!conversation && { name: "undo", about: words.undo, run: undo },
    !!conversation && {
      name: "usage",
      about: words.usage,
      run: () => setTimeout(() => document.querySelector<HTMLElement>("[data-context]")?.click()),
    },
    onPanel && { name: "save", about: words.save, run: () => onPanel("export") },
    onPanel && { name: "share", about: words.share, run: () => onPanel("share") },
    onPanel && { name: "rename", about: words.rename, run: () => onPanel("rename") },
    !!conversation && { name: "archive", about: words.archive, run: () => archive(conversation, true) },
    !!conversation && { name: "debug", about: words.debug, run: () => void runCommand("drawer") },
    !!conversation && { name: "stop", about: words.stop, run: () => void runCommand("stop") },
    !!conversation && { name: "new", about: words.new, run: () => void navigate({ to: "/chat" }) },
    { name: "help", about: words.help, run: () => writing.setText("/") },
  ];
  return all.filter((one): one is Command => !!one);
}

/** Takes the last message and its answer back; what was asked is in the field again. */
function useTakeBack(conversation: string | undefined, { setText }: Writing): () => void {
  const cache = useQueryClient();
  const save = useSaveConversation();
  return () => {
    if (!conversation) return;
    const messages = ordered(cache.getQueryData<Messages>(conversationKeys.messages(conversation)));
    const last = messages.findLast((message) => message.role === "user");
    if (!last) {
      toast.info(talk.nothingToUndo);
      return;
    }
    save.mutate(
      { id: conversation, head: last.parent ?? "" },
      {
        onSuccess: () => {
          setText(textOf(last));
          const head = messages.at(-1)?.id;
          toast.done(
            talk.undone,
            undefined,
            head
              ? { label: common.actions.undo, run: () => save.mutate({ id: conversation, head }) }
              : undefined,
          );
        },
        onError: (error) => toast.failed(error, common.errors.title),
      },
    );
  };
}

/** Beside the send button: another model, how full the context is, the microphone. */
export function Beside({ writing, conversation, agent, model, onModel }: AroundProps) {
  const models = useModels();
  const can = useCan();
  const ears = models?.find((one) => one.can.includes("transcription"))?.id;
  const { text, setText, field } = writing;
  useEffect(() => noteTyping(text.trim() !== ""), [text]);
  return (
    <>
      {model && (
        <span className="chip min-w-0">
          <span className="trunc">{talk.model.chip(model)}</span>
          <button type="button" aria-label={talk.model.remove} onClick={() => onModel(undefined)}>
            <X className="!h-3.5 !w-3.5" aria-hidden="true" />
          </button>
        </span>
      )}
      {conversation && (
        <Suspense>
          <ContextMeter conversation={conversation} agent={agent} model={model} />
        </Suspense>
      )}
      {can("models:use") && (
        <Voice
          model={ears}
          onText={(said) => {
            setText(text.trim() === "" ? said : `${text.trimEnd()} ${said}`);
            field.current?.focus();
          }}
        />
      )}
    </>
  );
}
