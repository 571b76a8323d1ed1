import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useState } from "react";
import { rank } from "@/lib/fuzzy";
import type { Writing } from "./composer";
import "./composer.css";

/** Something the list offers. */
export type Offer = {
  id: string;
  /** What is typed: "/agent", "@coder". */
  text: string;
  about?: string;
  icon?: ReactNode;
  /** Puts this in place of what is typed and goes on; absent: it is done. */
  fill?: string;
  run?: () => void;
};

/** What may be offered: commands with their values, and names. */
export type Offers = {
  commands: readonly Command[];
  names: readonly Offer[];
  labels: { commands: string; names: string; values: string };
};

export type Command = {
  name: string;
  usage?: string;
  about: string;
  icon?: ReactNode;
  /** The values it takes, where they can be listed. */
  values?: readonly { value: string; about?: string }[];
  /** Takes free words. */
  words?: boolean;
  run: (value: string) => void;
};

type Found = { label: string; from: number; offers: Offer[] };

/** What to offer for a text with the caret at its end; undefined when nothing is being named. */
export function offersFor(text: string, { commands, names, labels }: Offers): Found | undefined {
  const named = /^\/([a-z]*)(?:\s+([^\n]*))?$/.exec(text);
  if (named) return commandOffers(named[1] ?? "", named[2], commands, labels);
  const at = /(^|\s)@([\w-]*)$/.exec(text);
  if (!at) return undefined;
  const offers = rank(at[2] ?? "", names, (one) => one.text.slice(1)).map(({ item }) => item);
  return offers.length > 0
    ? { label: labels.names, from: text.length - (at[2]?.length ?? 0) - 1, offers }
    : undefined;
}

function commandOffers(
  word: string,
  value: string | undefined,
  commands: readonly Command[],
  labels: Offers["labels"],
): Found | undefined {
  const known = commands.find((one) => one.name === word);
  if (value === undefined) {
    const found = commands.filter((one) => one.name.startsWith(word));
    if (found.length === 0) return undefined;
    return { label: labels.commands, from: 0, offers: found.map(offerOf) };
  }
  if (!known) return undefined;
  if (known.values) {
    const hits = rank(value.trim(), known.values, (one) => one.value).map(({ item }) => item);
    return {
      label: labels.values,
      from: 0,
      offers: hits.map((one) => ({
        id: one.value,
        text: one.value,
        ...(one.about ? { about: one.about } : {}),
        run: () => known.run(one.value),
      })),
    };
  }
  return {
    label: labels.commands,
    from: 0,
    offers: [{ ...offerOf(known), run: () => known.run(value.trim()) }],
  };
}

function offerOf(command: Command): Offer {
  const takes = command.values || command.words;
  return {
    id: command.name,
    text: `/${command.name}`,
    about: command.usage ? `${command.usage}  ${command.about}` : command.about,
    ...(command.icon ? { icon: command.icon } : {}),
    ...(takes ? { fill: `/${command.name} ` } : { run: () => command.run("") }),
  };
}

/** The list above the field. Arrows move, Enter and Tab take, Escape closes. */
export function Complete({ text, setText, field, keys, offers }: Writing & { offers: Offers }) {
  const id = useId();
  const [closed, setClosed] = useState<string>();
  const [at, setAt] = useState(0);
  const found = useMemo(() => offersFor(text, offers), [text, offers]);
  const open = closed !== text && found !== undefined && found.offers.length > 0;
  const row = open ? Math.min(at, found.offers.length - 1) : 0;

  const take = (offer: Offer) => {
    setAt(0);
    if (offer.fill !== undefined) setText(text.slice(0, found?.from ?? 0) + offer.fill);
    else setText("");
    offer.run?.();
    field.current?.focus();
  };
  const pressed = (event: KeyboardEvent): boolean => {
    const offer = found?.offers[row];
    if (!open || !offer || event.shiftKey || event.altKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((row + step + found.offers.length) % found.offers.length);
    else if (event.key === "Enter" || event.key === "Tab") take(offer);
    else if (event.key === "Escape") setClosed(text);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  useEffect(() => {
    keys.current = pressed;
    const area = field.current;
    if (open) {
      area?.setAttribute("aria-controls", id);
      area?.setAttribute("aria-activedescendant", `${id}-${row}`);
    }
    return () => {
      area?.removeAttribute("aria-controls");
      area?.removeAttribute("aria-activedescendant");
    };
  });
  useEffect(
    () => () => {
      keys.current = undefined;
    },
    [keys],
  );
  if (!open) return null;
  return (
    <div className="complete anim-fade" role="listbox" id={id} aria-label={found.label}>
      <div className="mlabel" aria-hidden="true">
        {found.label}
      </div>
      {found.offers.map((offer, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and answers the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and names the row
        <div
          key={offer.id}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === row}
          className="mi"
          ref={(element) => {
            if (i === row) element?.scrollIntoView?.({ block: "nearest" });
          }}
          onPointerMove={() => setAt(i)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => take(offer)}
        >
          {offer.icon}
          <span className="mono">{offer.text}</span>
          <span className="trunc about flex-1">{offer.about}</span>
        </div>
      ))}
    </div>
  );
}
