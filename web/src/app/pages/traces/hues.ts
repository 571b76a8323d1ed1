import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "@/features/agents/queries";
import { hueOf } from "@/lib/format";
import { useCan } from "../../session";

/** The colour of an agent, by its name. */
export function useHues(): (agent: string) => string {
  const agents = useQuery({ ...agentsQuery, enabled: useCan()("agents:read") });
  return (name) => hueOf(name, agents.data?.data.find((agent) => agent.name === name)?.hue);
}
