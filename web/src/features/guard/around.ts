import { createContext, use } from "react";

/** What the page around knows and this feature does not: who is here, and what things are called. */
export type Around = {
  go: (href: string) => void;
  /** The id of the person who looks. */
  me: string;
  users: Record<string, string>;
  agents: Record<string, string>;
  /** The hues agents chose. */
  hues: Record<string, string>;
  mayAnswer: boolean;
  /** May let a run spend beyond a budget. */
  mayOverdraw: boolean;
  mayChange: boolean;
  mayUndo: boolean;
};

export const Surroundings = createContext<Around>({
  go: (href) => window.location.assign(href),
  me: "",
  users: {},
  agents: {},
  hues: {},
  mayAnswer: false,
  mayOverdraw: false,
  mayChange: false,
  mayUndo: false,
});

export const useAround = () => use(Surroundings);

/** What people and agents are called; an id that nobody knows stays as it is. */
export function useNames(): { user: (id: string | undefined) => string; agent: (name: string) => string } {
  const { users, agents } = useAround();
  return {
    user: (id) => (id ? (users[id] ?? id) : ""),
    agent: (name) => agents[name] ?? name,
  };
}
