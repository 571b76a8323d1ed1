import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { conversationsQuery } from "@/features/conversations/queries";
import { keyboard } from "@/lib/messages/palette";
import { shell } from "@/lib/messages/shell";
import { Kbd } from "@/ui/bits";
import { Floating } from "@/ui/dialog";
import { type Found, find, type Item } from "./commands";
import { shortcutGroups } from "./help";
import { keyText } from "./keys";
import { settingsPages } from "./pages/settings/pages";
import { useCan, useSignOut } from "./session";
import { hasCommand, runCommand } from "./shortcuts";
import { usePages } from "./sidebar";
import { useShell } from "./store";

const words = keyboard.palette;

/** Find anything, do anything, without the pointer. */
export default function Palette({ initial, onClose }: { initial: string; onClose: () => void }) {
  const [text, setText] = useState(initial);
  const [active, setActive] = useState(0);
  const items = useItems();
  const { recent, set } = useShell();
  const sections = useMemo(() => find(text, items, recent), [text, items, recent]);
  const rows = sections.flatMap((section) => section.rows);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const current = rows[Math.min(active, rows.length - 1)];

  // biome-ignore lint/correctness/useExhaustiveDependencies: keeps the chosen row in sight when it changes
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active, text]);

  const choose = ({ item }: Found) => {
    const plain = item.id.replace(/^recent:/, "");
    set({ recent: [plain, ...recent.filter((one) => one !== plain)].slice(0, 8) });
    onClose();
    item.run();
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setActive((active + step + rows.length) % Math.max(rows.length, 1));
    else if (event.key === "Enter" && current) choose(current);
    else return;
    event.preventDefault();
  };
  return (
    <Floating label={words.label} className="palette" onClose={onClose} onKeyDown={keys}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={current ? `${id}-${current.item.id}` : undefined}
        aria-label={words.label}
        autoComplete="off"
        spellCheck={false}
        placeholder={words.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
      />
      <div className="hr" />
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={words.label}
        className="min-h-0 overflow-y-auto p-1.5"
        tabIndex={-1}
      >
        {sections.map((section) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot hold options of a listbox
          <div key={section.title} role="group" aria-label={section.title}>
            <div className="mlabel" aria-hidden="true">
              {section.title}
            </div>
            {section.rows.map((row) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the focus and answers Enter
              <div
                key={row.item.id}
                id={`${id}-${row.item.id}`}
                role="option"
                tabIndex={-1}
                aria-selected={row === current}
                className="mi"
                onPointerMove={() => setActive(rows.indexOf(row))}
                onClick={() => choose(row)}
              >
                <span className="trunc flex-1">{marked(row)}</span>
                {row.item.keys && <Kbd>{row.item.keys}</Kbd>}
              </div>
            ))}
          </div>
        ))}
        {rows.length === 0 && <p className="px-3 py-6 text-center text-fg-3">{words.empty(text)}</p>}
      </div>
      <div className="hr" />
      <footer className="flex justify-between px-4 py-2 text-micro text-fg-3">
        <span>{words.hint}</span>
        <span role="status">{words.results(rows.length)}</span>
      </footer>
    </Floating>
  );
}

/** The text with the letters that matched. */
function marked({ item, at }: Found): ReactNode {
  if (at.length === 0) return item.text;
  const hit = new Set(at);
  const pieces: { text: string; on: boolean; from: number }[] = [];
  [...item.text].forEach((char, i) => {
    const last = pieces.at(-1);
    if (last && last.on === hit.has(i)) last.text += char;
    else pieces.push({ text: char, on: hit.has(i), from: i });
  });
  return pieces.map((piece) => (piece.on ? <mark key={piece.from}>{piece.text}</mark> : piece.text));
}

function useItems(): Item[] {
  const navigate = useNavigate();
  const can = useCan();
  const leave = useSignOut();
  const set = useShell((state) => state.set);
  const chats = useInfiniteQuery(conversationsQuery());
  const pages = usePages();
  return useMemo(() => {
    const write = can("conversations:write");
    const act = (id: string, text: string, run: () => void, keys?: string): Item => ({
      id,
      group: "actions",
      text,
      run,
      ...(keys ? { keys } : {}),
    });
    const here = (["stop", "drawer"] as const).filter(hasCommand).map(
      (command): Item => ({
        id: command,
        group: "here",
        text: command === "stop" ? words.actions.stop : words.actions.details,
        keys: keyText(command),
        run: () => void runCommand(command),
      }),
    );
    const actions = [
      ...(write
        ? [act("new-chat", words.actions.newChat, () => void navigate({ to: "/chat" }), keyText("new-chat"))]
        : []),
      ...(can("keys:write")
        ? [
            act(
              "create-key",
              words.actions.createKey,
              () =>
                void navigate({ to: "/settings/$page", params: { page: "keys" }, search: { create: true } }),
            ),
          ]
        : []),
      act(
        "sidebar",
        words.actions.sidebar,
        () => set({ rail: !useShell.getState().rail }),
        keyText("sidebar"),
      ),
      act("theme-dark", words.actions.themeDark, () => set({ theme: "dark" })),
      act("theme-light", words.actions.themeLight, () => set({ theme: "light" })),
      act("theme-system", words.actions.themeSystem, () => set({ theme: "system" })),
      act("help", words.actions.help, () => set({ help: true }), keyText("help")),
      act("sign-out", words.actions.signOut, leave),
    ];
    const go = pages.map(
      ({ to, label }): Item => ({
        id: `go:${to}`,
        group: "go",
        text: label,
        run: () => void navigate({ to }),
      }),
    );
    const list = chats.data?.pages.flatMap((page) => page.data) ?? [];
    const found = list.map(
      (chat): Item => ({
        id: chat.id,
        group: "chats",
        text: chat.title || shell.untitled,
        run: () => void navigate({ to: "/chat/$id", params: { id: chat.id } }),
      }),
    );
    const settings = settingsPages
      .filter((page) => !page.needs || can(page.needs))
      .map(
        (page): Item => ({
          id: `settings:${page.id}`,
          group: "settings",
          text: page.label,
          also: page.intro,
          run: () => void navigate({ to: "/settings/$page", params: { page: page.id } }),
        }),
      );
    const help = shortcutGroups().flatMap((group) =>
      group.rows.map(
        (row): Item => ({
          id: `help:${group.title}:${row.text}`,
          group: "help",
          text: row.text,
          keys: row.keys.join(" "),
          run: () => set({ help: true }),
        }),
      ),
    );
    return [...here, ...actions, ...go, ...found, ...settings, ...help];
  }, [can, chats.data, leave, navigate, pages, set]);
}
