import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useParams } from "@tanstack/react-router";
import { MessagesSquare, PanelRight } from "lucide-react";
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { agentsQuery } from "@/features/agents/queries";
import { Composer, type Writing } from "@/features/conversations/composer";
import type { DrawAround, DrawCalls, Speaker } from "@/features/conversations/message";
import { outbox, type Sending } from "@/features/conversations/outbox";
import { conversationQuery, useRegenerate } from "@/features/conversations/queries";
import { type DrawWriting, Thread } from "@/features/conversations/thread";
import { runsOfQuery, useCancelRun } from "@/features/runs/queries";
import { isActive } from "@/features/runs/stream";
import { hueOf } from "@/lib/format";
import { chat } from "@/lib/messages/chat";
import { common } from "@/lib/messages/common";
import { shell } from "@/lib/messages/shell";
import { onDemand } from "@/lib/on-demand";
import { Boundary } from "@/ui/boundary";
import { IconButton } from "@/ui/button";
import { TopBar } from "@/ui/page";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { useCan, useMe } from "../../session";
import { useCommands } from "../../shortcuts";
import { useShell } from "../../store";
import type { Panel } from "./archive";
import { useWorkStream } from "./deltas";
import { anyone, findAgent } from "./find-agent";
import { LiveAnswer, useKeptAnswer } from "./live-answer";
import { splitOutbox, useSender } from "./send";

const Debug = onDemand(() => import("./debug"), "default");
const menu = () => import("./menu");
const ChatMenu = onDemand(menu, "default");
const ShareButton = onDemand(menu, "ShareButton");
const Visitors = onDemand(() => import("@/features/conversations/visitors"), "Visitors");
const work = () => import("./work");
const Calls = onDemand(work, "WorkCalls");
const acts = () => import("./acts");
const Acts = onDemand(acts, "Acts");
const Under = onDemand(acts, "Under");
const Author = onDemand(acts, "Author");
const Spend = onDemand(() => import("./spend"), "Spend");
const Mode = onDemand(() => import("./mode"), "Mode");
const beside = () => import("./around");
const Completing = onDemand(beside, "Completing");
const Beside = onDemand(beside, "Beside");

/** One conversation. Keyed by its id, so that nothing of one chat shows in another. */
export default function ThreadRoute() {
  const { id } = useParams({ strict: false });
  return id ? <ThreadPage key={id} id={id} /> : null;
}

function ThreadPage({ id }: { id: string }) {
  const can = useCan();
  const me = useMe();
  const conversation = useQuery(conversationQuery(id));
  const { drawer, set } = useShell();
  const toggleDrawer = () => set({ drawer: !drawer });
  const showDrawer = useCallback(() => set({ drawer: true }), [set]);
  const [panel, setPanel] = useState<Panel>();
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
  const mine = can("conversations:write") ? conversation.data : undefined;
  return (
    <>
      <TopBar
        title={conversation.data ? conversation.data.title || shell.untitled : ""}
        before={<ListLink />}
        after={<Suspense>{mine && <ChatMenu item={mine} panel={panel} onPanel={setPanel} />}</Suspense>}
      >
        <Suspense>
          <Visitors conversation={id} me={me.user.id} />
          <Spend conversation={id} agent={conversation.data?.agent} />
          {mine && <ShareButton item={mine} onPanel={setPanel} />}
        </Suspense>
        <IconButton
          label={chat.drawer}
          keys="]"
          look={drawer ? "plain" : "ghost"}
          aria-pressed={drawer}
          onClick={toggleDrawer}
        >
          <PanelRight aria-hidden="true" />
        </IconButton>
      </TopBar>
      <div className="relative flex min-h-0 flex-1">
        <Talk id={id} mayWrite={can("conversations:write")} onDetails={showDrawer} onPanel={setPanel} />
        {drawer && (
          <Boundary>
            <Suspense>
              <Debug conversation={id} onClose={toggleDrawer} />
            </Suspense>
          </Boundary>
        )}
      </div>
    </>
  );
}

/** The thread and the composer: what is said and what is being said. */
function Talk({
  id,
  mayWrite,
  onDetails,
  onPanel,
}: {
  id: string;
  mayWrite: boolean;
  onDetails: () => void;
  onPanel: (panel: Panel) => void;
}) {
  const me = useMe();
  const conversation = useQuery(conversationQuery(id));
  const agents = useQuery(agentsQuery);
  const runs = useQuery(runsOfQuery(id));
  const list = runs.data?.data ?? [];
  const active = list.find(isActive);
  useKeptAnswer(active);
  const again = useRegenerate();
  const cancel = useCancelRun();
  const field = useRef<HTMLTextAreaElement>(null);
  const write = useLocation({ select: (at) => at.hash === "write" });
  useEffect(() => {
    if (write) field.current?.focus();
  }, [write]);
  const [chosen, setChosen] = useState<string>();
  const [model, setModel] = useState<string>();
  const agent = chosen === "" ? anyone : findAgent(agents.data?.data, chosen ?? conversation.data?.agent);
  const { online, mine } = useSender(id, !!active, () => undefined);
  const { sending, queued } = splitOutbox(mine);

  const send = (message: Sending) =>
    agent && outbox.add({ conversation: id, model, ...message, agent: message.agent ?? agent.name });
  const stop = () =>
    active && cancel.mutate(active.id, { onError: (error) => toast.failed(error, common.errors.title) });
  const known = agents.data?.data;
  const speaker = useCallback(
    (author: string): Speaker => {
      const one = findAgent(known, author);
      const name = one?.name ?? author;
      return { name, title: one?.title ?? author, hue: hueOf(name, one?.hue) };
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
  const around = useCallback<DrawAround>(
    (message, place, given) => (
      <Suspense>
        {place === "acts" && <Acts message={message} {...given} onDetails={onDetails} />}
        {place === "under" && <Under message={message} />}
        {place === "author" && message.author !== me.user.id && <Author user={message.author} />}
      </Suspense>
    ),
    [onDetails, me.user.id],
  );
  const { mutate } = again;
  const repeat = useCallback(
    (message: string) =>
      mutate({ conversation: id, message }, { onError: (error) => toast.failed(error, common.errors.title) }),
    [mutate, id],
  );
  const helped = (writing: Writing) => ({
    writing,
    conversation: id,
    agents: agents.data?.data ?? [],
    agent: agent?.name,
    onAgent: setChosen,
    model,
    onModel: setModel,
    onPanel,
  });
  const writing: DrawWriting | undefined =
    active &&
    ((by, silent) => (
      <LiveAnswer run={active} silent={silent} speaker={by} calls={calls} mayAnswer={mayWrite} />
    ));
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
          writing={writing}
          calls={calls}
          around={around}
          sending={sending}
          onSend={mayWrite ? (text) => send({ text }) : undefined}
          onAgain={mayWrite ? repeat : undefined}
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
            chips={<Mode />}
            complete={(writing) => <Completing {...helped(writing)} />}
            beside={(writing) => <Beside {...helped(writing)} />}
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
