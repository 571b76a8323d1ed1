import { useQuery } from "@tanstack/react-query";
import { Bot } from "lucide-react";
import { type ReactNode, useDeferredValue, useState } from "react";
import type { Agent } from "@/api/types";
import { hueOf } from "@/lib/format";
import { agents as words } from "@/lib/messages/agents";
import { Glyph, Pill } from "@/ui/bits";
import { Input } from "@/ui/field";
import { Empty } from "@/ui/states";
import { routeQuery } from "./queries";

/** The agents of the workspace, each a card that opens. */
export function AgentCards({
  list,
  link,
}: {
  list: readonly Agent[];
  link: (agent: Agent, children: ReactNode) => ReactNode;
}) {
  if (list.length === 0) return <Empty icon={<Bot />} title={words.empty} body={words.emptyBody} />;
  return (
    <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {list.map((agent) => (
        <li key={agent.name} className="flex">
          {link(agent, <Card agent={agent} />)}
        </li>
      ))}
    </ul>
  );
}

function Card({ agent }: { agent: Agent }) {
  return (
    <span className="card flex h-full flex-col gap-2 p-4 hover:bg-hover">
      <span className="flex items-center gap-3">
        <Glyph hue={hueOf(agent.name, agent.hue)} size="l">
          <Bot />
        </Glyph>
        <span className="min-w-0 flex-1">
          <span className="block font-semibold">{agent.title}</span>
          <span className="mono trunc block text-small text-fg-3">{agent.model || words.workspaceModel}</span>
        </span>
        <OriginPill agent={agent} />
      </span>
      <span className="text-fg-2">{agent.description}</span>
      <span className="mt-auto text-small text-fg-3">
        {words.toolCount(agent.tools.allow)}
        {agent.helpers.length > 0 && ` · ${words.helperCount(agent.helpers.length)}`}
      </span>
    </span>
  );
}

/** Where an agent comes from; what is built in says nothing. */
export function OriginPill({ agent }: { agent: Agent }) {
  if (agent.plugin) return <Pill tone="plain">{words.fromPlugin(agent.plugin)}</Pill>;
  if (agent.origin === "preset") return null;
  return <Pill tone="line">{words.origins[agent.origin] ?? agent.origin}</Pill>;
}

/** Says which agent a message would go to, before it is sent. */
export function RouteTester({ titleOf }: { titleOf: (agent: string) => string }) {
  const [text, setText] = useState("");
  const asked = useDeferredValue(text.trim());
  const choice = useQuery({
    ...routeQuery(asked),
    enabled: asked !== "",
    placeholderData: (before) => before,
  });
  return (
    <div className="card flex flex-col gap-2 p-4">
      <label htmlFor="route" className="font-semibold">
        {words.route}
      </label>
      <Input
        id="route"
        placeholder={words.routePlaceholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {asked !== "" && choice.data && (
        <p role="status" className="text-small text-fg-2">
          <span className="font-medium text-fg">
            {words.routed(titleOf(choice.data.agent), Math.round(choice.data.confidence * 100))}
          </span>{" "}
          {choice.data.why}
        </p>
      )}
    </div>
  );
}
