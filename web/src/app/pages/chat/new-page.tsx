import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { MessagesSquare, Sparkles } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { agentsQuery } from "@/features/agents/queries";
import { Composer, type Writing } from "@/features/conversations/composer";
import { outbox, type Sending } from "@/features/conversations/outbox";
import { chat } from "@/lib/messages/chat";
import { shell } from "@/lib/messages/shell";
import { onDemand } from "@/lib/on-demand";
import { TopBar } from "@/ui/page";
import { Empty, Problem } from "@/ui/states";
import { useCan, useMe } from "../../session";
import { useCommands } from "../../shortcuts";
import { anyone, findAgent } from "./find-agent";
import { splitOutbox, useSender } from "./send";

const Mode = onDemand(() => import("./mode"), "Mode");
const beside = () => import("./around");
const Completing = onDemand(beside, "Completing");
const Beside = onDemand(beside, "Beside");

/** A chat that does not exist yet: a greeting, the composer, and four ways to begin. */
export default function NewChatRoute() {
  const can = useCan();
  return (
    <>
      <TopBar title={shell.newChat}>
        <Link to="/chat/all" className="btn ghost">
          <MessagesSquare aria-hidden="true" />
          {shell.allChats}
        </Link>
      </TopBar>
      {can("conversations:write") ? (
        <Begin />
      ) : (
        <Empty title={chat.viewerEmpty} body={chat.viewerEmptyBody} />
      )}
    </>
  );
}

function Begin() {
  const can = useCan();
  const me = useMe();
  const navigate = useNavigate();
  const agents = useQuery(agentsQuery);
  const field = useRef<HTMLTextAreaElement>(null);
  const { agent: asked } = useSearch({ strict: false });
  const [picked, setChosen] = useState<string>();
  const chosen = picked ?? asked;
  const [model, setModel] = useState<string>();
  const agent = chosen === "" ? anyone : findAgent(agents.data?.data, chosen);
  const { online, mine } = useSender(
    undefined,
    false,
    (id) => void navigate({ to: "/chat/$id", params: { id }, replace: true }),
  );
  const { sending, queued } = splitOutbox(mine);
  const send = (message: Sending) =>
    agent && outbox.add({ conversation: undefined, model, ...message, agent: message.agent ?? agent.name });
  const helped = (writing: Writing) => ({
    writing,
    conversation: undefined,
    agents: agents.data?.data ?? [],
    agent: agent?.name,
    onAgent: setChosen,
    model,
    onModel: setModel,
  });

  useCommands({ composer: () => field.current?.focus(), "new-chat": () => field.current?.focus() });
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, []);

  const first = (me.user.name || me.user.user).split(" ")[0] ?? "";
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center gap-6 overflow-y-auto px-4 py-8 sm:px-7">
      <div className="text-center">
        <h2 className="text-[26px] font-semibold leading-8 tracking-tight">
          {chat.greeting(first, new Date().getHours())}
        </h2>
        <p className="mt-1 text-read text-fg-3">{chat.greetingBody}</p>
      </div>
      <div className="w-full max-w-[728px]">
        {agents.error && !agents.data && <Problem error={agents.error} retry={() => void agents.refetch()} />}
        <Composer
          conversation={undefined}
          agents={agents.data?.data ?? []}
          agent={agent}
          onAgent={setChosen}
          running={false}
          online={online}
          queued={[...sending, ...queued]}
          onSend={send}
          onStop={() => undefined}
          onRemove={outbox.remove}
          onRetry={(key) => outbox.change(key, { state: "waiting" })}
          field={field}
          chips={<Mode />}
          complete={(writing) => <Completing {...helped(writing)} />}
          beside={(writing) => <Beside {...helped(writing)} />}
        />
        {findAgent(agents.data?.data, agent?.name)?.model.startsWith("demo") && (
          <p className="mt-3 flex items-center justify-center gap-2 text-small text-fg-3">
            <Sparkles className="!h-3.5 !w-3.5 text-accent" aria-hidden="true" />
            {chat.demo}
            {can("models:write") && (
              <Link to="/settings/$page" params={{ page: "models" }} className="link">
                {chat.connect}
              </Link>
            )}
          </p>
        )}
      </div>
      <ul className="grid w-full max-w-[728px] gap-2.5 sm:grid-cols-2">
        {chat.starters.map((starter) => (
          <li key={starter.title} className="flex">
            <button
              type="button"
              className="card flex-1 px-4 py-3 text-left hover:bg-hover disabled:opacity-50"
              disabled={!agent || mine.length > 0}
              onClick={() => send({ text: starter.text })}
            >
              <span className="block font-medium">{starter.title}</span>
              <span className="block text-small text-fg-3">{starter.body}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
