import { useQuery } from "@tanstack/react-query";
import type { Agent } from "@/api/types";
import { agents as words } from "@/lib/messages/agents";
import { common } from "@/lib/messages/common";
import { Pill, Time } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Section } from "@/ui/page";
import { View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { agentVersionsQuery, useRollBack } from "./queries";

/** What an agent was before, and the way back. */
export function AgentVersions({ agent, mayWrite }: { agent: Agent; mayWrite: boolean }) {
  const versions = useQuery(agentVersionsQuery(agent.name));
  const back = useRollBack(agent.name);
  const go = (version: number) =>
    back.mutate(version, {
      onSuccess: () => toast.done(words.rolledBack),
      onError: (error) => toast.failed(error, common.errors.title),
    });
  return (
    <Section title={words.versions}>
      <View
        query={versions}
        isEmpty={(page) => page.data.length === 0}
        empty={<p className="px-4 pb-4 text-fg-3">{words.noVersions}</p>}
      >
        {(page) => (
          <ul className="flex flex-col">
            {page.data.map((one) => (
              <li
                key={one.version}
                className="flex min-h-11 flex-wrap items-center gap-3 border-t border-line px-4 py-1"
              >
                <span className="num font-medium">{words.version(one.version)}</span>
                <span className="text-fg-2">{one.change}</span>
                <span className="flex-1" />
                <Time at={one.at} className="text-small text-fg-3" />
                {one.version === agent.version ? (
                  <Pill tone="ok">{words.present}</Pill>
                ) : (
                  mayWrite && (
                    <Button busy={back.isPending} onClick={() => go(one.version)}>
                      {words.rollBack}
                    </Button>
                  )
                )}
              </li>
            ))}
            {mayWrite && agent.version > 0 && agent.origin === "workspace" && (
              <li className="flex min-h-11 items-center gap-3 border-t border-line px-4 py-1">
                <span className="num font-medium">{words.version(0)}</span>
                <span className="flex-1 text-fg-2">{words.origins.preset}</span>
                <Button busy={back.isPending} onClick={() => go(0)}>
                  {words.rollBack}
                </Button>
              </li>
            )}
          </ul>
        )}
      </View>
    </Section>
  );
}
