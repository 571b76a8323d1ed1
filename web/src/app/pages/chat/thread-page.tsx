import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import {
  Archive,
  ArchiveRestore,
  ChevronDown,
  MessagesSquare,
  PanelRight,
  Pencil,
  Trash2,
} from "lucide-react";
import { lazy, Suspense, useCallback, useRef, useState } from "react";
import type { Conversation } from "@/api/types";
import { agentsQuery } from "@/features/agents/queries";
import { Composer } from "@/features/conversations/composer";
import type { DrawCalls, Speaker } from "@/features/conversations/message";
import { outbox } from "@/features/conversations/outbox";
import { conversationQuery, useRegenerate, useSaveConversation } from "@/features/conversations/queries";
import { Thread } from "@/features/conversations/thread";
import { runsOfQuery, streamQuery, useCancelRun, workQuery } from "@/features/runs/queries";
import { isActive } from "@/features/runs/stream";
import { liveTurns } from "@/features/runs/work";
import { hueOf } from "@/lib/format";
import { chat } from "@/lib/messages/chat";
import { common } from "@/lib/messages/common";
import { shell } from "@/lib/messages/shell";
import { Boundary } from "@/ui/boundary";
import { IconButton } from "@/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@/ui/menu";
import { TopBar } from "@/ui/page";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { useCan } from "../../session";
import { useCommands } from "../../shortcuts";
import { useShell } from "../../store";
import { useWorkStream } from "./deltas";
import { findAgent } from "./find-agent";
import { splitOutbox, useSender } from "./send";

const EventsDrawer = lazy(() =>
  import("@/features/events/drawer").then((module) => ({ default: module.EventsDrawer })),
);
const work = () => import("./work");
const Calls = lazy(() => work().then((module) => ({ default: module.WorkCalls })));
const Needs = lazy(() => work().then((module) => ({ default: module.Needs })));
const dialogs = () => import("@/features/conversations/dialogs");
const RenameConversation = lazy(() => dialogs().then((module) => ({ default: module.RenameConversation })));
const DeleteConversation = lazy(() => dialogs().then((module) => ({ default: module.DeleteConversation })));

/** One conversation. Keyed by its id, so that nothing of one chat shows in another. */
export default function ThreadRoute() {
  const { id } = useParams({ strict: false });
  return id ? <ThreadPage key={id} id={id} /> : null;
}

function ThreadPage({ id }: { id: string }) {
  const can = useCan();
  const conversation = useQuery(conversationQuery(id));
  const { drawer, set } = useShell();
  const toggleDrawer = () => set({ drawer: !drawer });
  const runs = useQuery(runsOfQuery(id));
  useWorkStream(`conversations/${id}`);
  useCommands({ drawer: toggleDrawer });
  if (conversation.error && !conversation.data) {
    return (
      <>
        <TopBar title={chat.title} />
        <Problem error={conversation.error} retry={() => void conversation.refetch()} />
      </>
    );
  }
  return (
    <>
      <TopBar
        title={conversation.data ? conversation.data.title || shell.untitled : ""}
        before={<ListLink />}
      >
        {conversation.data && can("conversations:write") && <ChatMenu item={conversation.data} />}
        <IconButton
          label={chat.drawer.title}
          keys="]"
          look={drawer ? "plain" : "ghost"}
          aria-pressed={drawer}
          onClick={toggleDrawer}
        >
          <PanelRight aria-hidden="true" />
        </IconButton>
      </TopBar>
      <div className="relative flex min-h-0 flex-1">
        <Talk id={id} mayWrite={can("conversations:write")} onDetails={() => set({ drawer: true })} />
        {drawer && (
          <Boundary>
            <Suspense>
              <EventsDrawer channel={`conversations/${id}`} run={runs.data?.data[0]} onClose={toggleDrawer} />
            </Suspense>
          </Boundary>
        )}
      </div>
    </>
  );
}

/** The thread and the composer: what is said and what is being said. */
function Talk({ id, mayWrite, onDetails }: { id: string; mayWrite: boolean; onDetails: () => void }) {
  const cache = useQueryClient();
  const conversation = useQuery(conversationQuery(id));
  const agents = useQuery(agentsQuery);
  const runs = useQuery(runsOfQuery(id));
  const list = runs.data?.data ?? [];
  const active = list.find(isActive);
  const stream = useQuery({
    ...streamQuery(active ?? { id: "", answer: "" }, cache),
    enabled: !!active,
  });
  const done = useQuery({ ...workQuery(active?.id ?? ""), enabled: false });
  const again = useRegenerate();
  const cancel = useCancelRun();
  const field = useRef<HTMLTextAreaElement>(null);
  const [chosen, setChosen] = useState<string>();
  const agent = findAgent(agents.data?.data, chosen ?? conversation.data?.agent);
  const { online, mine } = useSender(id, !!active, () => undefined);
  const { sending, queued } = splitOutbox(mine);

  const send = (text: string) => agent && outbox.add({ conversation: id, agent: agent.name, text });
  const stop = () =>
    active && cancel.mutate(active.id, { onError: (error) => toast.failed(error, common.errors.title) });
  const known = agents.data?.data;
  const speaker = useCallback(
    (author: string): Speaker => {
      const one = findAgent(known, author);
      return { title: one?.title ?? author, hue: hueOf(one?.name ?? author, one?.hue) };
    },
    [known],
  );
  const calls = useCallback<DrawCalls>(
    (list, run) => (
      <Suspense>
        <Calls calls={list} run={run} look={speaker} />
      </Suspense>
    ),
    [speaker],
  );
  const needs = active && done.data.needs.length > 0 && (
    <Suspense>
      <Needs needs={done.data.needs} mayAnswer={mayWrite} />
    </Suspense>
  );
  useCommands({
    composer: () => field.current?.focus(),
    ...(active ? { stop } : {}),
  });
  return (
    <div className="flex min-w-0 flex-1 flex-col">
      <Boundary>
        <Thread
          conversation={id}
          speaker={speaker}
          runs={list}
          writing={active ? liveTurns(done.data, stream.data?.text ?? "") : undefined}
          needs={needs || undefined}
          calls={calls}
          sending={sending}
          onSend={mayWrite ? send : undefined}
          onAgain={
            mayWrite
              ? (message) =>
                  again.mutate(
                    { conversation: id, message },
                    { onError: (error) => toast.failed(error, common.errors.title) },
                  )
              : undefined
          }
          onDetails={onDetails}
        />
      </Boundary>
      {mayWrite ? (
        <div className="comp">
          <Composer
            conversation={id}
            agents={agents.data?.data ?? []}
            agent={agent}
            onAgent={setChosen}
            running={!!active || sending.length > 0}
            online={online}
            queued={queued}
            onSend={send}
            onStop={stop}
            onRemove={outbox.remove}
            onRetry={(key) => outbox.change(key, { state: "waiting" })}
            field={field}
          />
        </div>
      ) : (
        <p className="border-t border-line p-4 text-center text-fg-3">{chat.composer.readOnly}</p>
      )}
    </div>
  );
}

function ListLink() {
  return (
    <Link to="/chat/all" className="btn ghost icon -ml-2 sm:hidden" aria-label={shell.allChats}>
      <MessagesSquare aria-hidden="true" />
    </Link>
  );
}

function ChatMenu({ item }: { item: Conversation }) {
  const [open, setOpen] = useState<"rename" | "delete">();
  const save = useSaveConversation();
  const navigate = useNavigate();
  const words = chat.menu;
  const archive = (archived: boolean) =>
    save.mutate(
      { id: item.id, archived },
      {
        onSuccess: () =>
          toast.done(archived ? words.archived : words.restored, undefined, {
            label: common.actions.undo,
            run: () => save.mutate({ id: item.id, archived: !archived }),
          }),
        onError: (error) => toast.failed(error, common.errors.title),
      },
    );
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label={words.label}>
            <ChevronDown aria-hidden="true" />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil aria-hidden="true" />} onSelect={() => setOpen("rename")}>
          {words.rename}
        </MenuItem>
        <MenuItem
          icon={item.archived ? <ArchiveRestore aria-hidden="true" /> : <Archive aria-hidden="true" />}
          onSelect={() => archive(!item.archived)}
        >
          {item.archived ? words.restore : words.archive}
        </MenuItem>
        <MenuSeparator />
        <MenuItem bad icon={<Trash2 aria-hidden="true" />} onSelect={() => setOpen("delete")}>
          {words.delete}
        </MenuItem>
      </Menu>
      <Suspense>
        {open === "rename" && <RenameConversation item={item} onClose={() => setOpen(undefined)} />}
        {open === "delete" && (
          <DeleteConversation
            item={item}
            onClose={() => setOpen(undefined)}
            onDone={() => void navigate({ to: "/chat" })}
          />
        )}
      </Suspense>
    </>
  );
}
