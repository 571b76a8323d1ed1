import type { Agent } from "@/api/types";
import { chat } from "@/lib/messages/chat";

/** The agent with a name; the first one where the name says nothing. */
export function findAgent(agents: readonly Agent[] | undefined, name: string | undefined): Agent | undefined {
  return agents?.find((agent) => agent.name === name) ?? agents?.[0];
}

/** Stands for whoever fits: the server picks. */
export const anyone = { name: "", title: chat.anyone, hue: "iris" };
