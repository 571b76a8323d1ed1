import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { AgentCards, RouteTester } from "@/features/agents/cards";
import { CreateAgent } from "@/features/agents/create";
import { agentsQuery } from "@/features/agents/queries";
import { agents as words } from "@/lib/messages/agents";
import { Button } from "@/ui/button";
import { PageBody, TopBar } from "@/ui/page";
import { View } from "@/ui/states";
import { useCan } from "../../session";

/** Whom one can ask. */
export default function AgentsRoute() {
  const can = useCan();
  const navigate = useNavigate();
  const agents = useQuery(agentsQuery);
  const [creating, setCreating] = useState(false);
  const open = (agent: string) => void navigate({ to: "/agents/$agent", params: { agent } });
  return (
    <>
      <TopBar title={words.title}>
        {can("agents:write") && (
          <Button look="solid" onClick={() => setCreating(true)}>
            <Plus aria-hidden="true" />
            {words.create}
          </Button>
        )}
      </TopBar>
      <PageBody>
        <p className="text-fg-3">{words.intro}</p>
        <View query={agents} rows={6}>
          {({ data }) => (
            <>
              <AgentCards
                list={data}
                link={(agent, children) => (
                  <Link to="/agents/$agent" params={{ agent: agent.name }} className="block min-w-0 flex-1">
                    {children}
                  </Link>
                )}
              />
              <RouteTester titleOf={(name) => data.find((one) => one.name === name)?.title ?? name} />
              {creating && <CreateAgent list={data} onClose={() => setCreating(false)} onDone={open} />}
            </>
          )}
        </View>
      </PageBody>
    </>
  );
}
