import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import type { Run } from "@/api/types";
import { agentsQuery } from "@/features/agents/queries";
import { recentRunsQuery } from "@/features/runs/queries";
import { hueOf } from "@/lib/format";
import { overview } from "@/lib/messages/overview";
import { byTime } from "@/lib/time";
import { Glyph, Pill, StatePill, Time } from "@/ui/bits";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";

const words = overview.agents;

/** What an agent does now: the state that asks most of people comes first. */
export function stateOf(agent: string, runs: readonly Run[]): { state: string; runs: number; last?: string } {
  const mine = runs.filter((run) => run.agent === agent);
  const at = (state: string) => mine.filter((run) => run.state === state).length;
  const last = mine
    .map((run) => run.finished_at ?? run.created_at)
    .sort()
    .at(-1);
  for (const state of ["waiting", "running", "queued"])
    if (at(state) > 0) return { state, runs: at(state), ...(last ? { last } : {}) };
  return { state: "idle", runs: 0, ...(last ? { last } : {}) };
}

const order = ["waiting", "running", "queued", "idle"];

/** Every agent with what it does this moment; those at work come first. */
export function Agents() {
  const agents = useQuery(agentsQuery);
  const runs = useQuery(recentRunsQuery);
  return (
    <Section
      title={words.title}
      flush
      actions={
        <Link to="/agents" className="link text-small">
          {words.all}
        </Link>
      }
    >
      <View query={agents} isEmpty={(page) => page.data.length === 0} empty={<Empty title={words.empty} />}>
        {(page) => (
          <ul>
            {page.data
              .map((agent) => ({ agent, ...stateOf(agent.name, runs.data?.data ?? []) }))
              .sort(
                (a, b) =>
                  order.indexOf(a.state) - order.indexOf(b.state) || byTime(b.last ?? "", a.last ?? ""),
              )
              .slice(0, 8)
              .map(({ agent, state, runs: n, last }) => (
                <li key={agent.name} className="border-b border-line last:border-0">
                  <Link
                    to="/agents/$agent"
                    params={{ agent: agent.name }}
                    className="flex min-h-[var(--row)] items-center gap-3 px-4 py-1.5 hover:bg-hover"
                  >
                    <Glyph hue={hueOf(agent.name, agent.hue)}>
                      <Bot />
                    </Glyph>
                    <span className="trunc flex-1">{agent.title}</span>
                    {n > 1 && <span className="num text-small text-fg-3">{words.runs(n)}</span>}
                    {state === "idle" ? (
                      <>
                        {last && <Time at={last} className="text-small text-fg-3" />}
                        <Pill tone="line">{words.idle}</Pill>
                      </>
                    ) : (
                      <StatePill state={state} />
                    )}
                  </Link>
                </li>
              ))}
          </ul>
        )}
      </View>
    </Section>
  );
}
