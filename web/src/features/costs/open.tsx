import { type ComponentProps, createContext, type MouseEvent, use } from "react";
import { hueOf } from "@/lib/format";
import { costs } from "@/lib/messages/costs";
import type { By, Filter } from "./queries";

/** What the page around knows and this feature does not: where pages are and what things are called. */
export type Around = {
  go: (href: string) => void;
  /** Names of agents, users and keys by their id. */
  names: Partial<Record<By, Record<string, string>>>;
  /** The hues agents chose. */
  hues: Record<string, string>;
  mayChange: boolean;
};

export const Surroundings = createContext<Around>({
  go: (href) => window.location.assign(href),
  names: {},
  hues: {},
  mayChange: false,
});

export const useAround = () => use(Surroundings);

/** What a thing is called; nothing stands for calls that had none. */
export function useName(): (by: By, id: string) => string {
  const { names } = useAround();
  return (by, id) => {
    if (id === "") return costs.by[by].none;
    return names[by]?.[id] ?? (by === "door" ? (costs.doors[id] ?? id) : id);
  };
}

const order = ["azure", "amber", "iris", "teal", "pink", "lime", "coral", "green"];

/** A hue class for each name: an agent's own where it has one, and no hue twice while there are enough. */
export function huesFor(by: By, names: readonly string[], own: Record<string, string>): string[] {
  const given = names.map((name) => (by === "agent" && own[name] ? `h-${own[name]}` : undefined));
  const taken = new Set(given);
  return names.map((name, i) => {
    const mine = given[i];
    if (mine) return mine;
    const wish = hueOf(name);
    const hue =
      by === "agent" && !taken.has(wish)
        ? wish
        : order.map((one) => `h-${one}`).find((one) => !taken.has(one));
    taken.add(hue);
    return hue ?? wish;
  });
}

export const recordsHref = (filter: Filter & { record?: string }) =>
  `/costs/records?${new URLSearchParams(filter as Record<string, string>)}`;

/** A link that stays in the app, for what is named by its address. */
export function Go({ href, onClick, ...rest }: ComponentProps<"a"> & { href: string }) {
  const { go } = useAround();
  return (
    <a
      href={href}
      {...rest}
      onClick={(event) => {
        onClick?.(event);
        if (!event.defaultPrevented && plain(event)) {
          event.preventDefault();
          go(href);
        }
      }}
    />
  );
}

/** A click that does not ask for a new tab or window. */
export const plain = (event: MouseEvent) =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
