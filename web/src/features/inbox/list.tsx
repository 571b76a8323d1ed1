import clsx from "clsx";
import { AtSign, CircleAlert, CircleDollarSign, CircleHelp, Hand, type LucideIcon } from "lucide-react";
import { useEffect, useRef } from "react";
import { inbox } from "@/lib/messages/inbox";
import { Time } from "@/ui/bits";

export type Kind = "approval" | "question" | "mention" | "failed" | "budget";

/** One line of the inbox. */
export type Line = { id: string; kind: Kind; title: string; from: string; at: string };

const icons: Record<Kind, LucideIcon> = {
  approval: Hand,
  question: CircleHelp,
  mention: AtSign,
  failed: CircleAlert,
  budget: CircleDollarSign,
};
const tones: Record<Kind, string> = {
  approval: "text-warn",
  question: "text-warn",
  mention: "text-accent",
  failed: "text-bad",
  budget: "text-warn",
};

/** What is in the inbox: kind, one line, who, how old. */
export function InboxList({
  lines,
  chosen,
  onChoose,
}: {
  lines: readonly Line[];
  chosen: string;
  onChoose: (id: string) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: keeps the chosen line in sight when it changes
  useEffect(() => {
    list.current?.querySelector("[aria-current=true]")?.scrollIntoView?.({ block: "nearest" });
  }, [chosen]);
  return (
    <ul ref={list} aria-label={inbox.list}>
      {lines.map((line) => (
        <Row key={line.id} line={line} on={line.id === chosen} onChoose={onChoose} />
      ))}
    </ul>
  );
}

function Row({ line, on, onChoose }: { line: Line; on: boolean; onChoose: (id: string) => void }) {
  const Icon = icons[line.kind];
  return (
    <li>
      <button
        type="button"
        className={clsx("inrow", on && "on")}
        aria-current={on ? "true" : undefined}
        onClick={() => onChoose(line.id)}
      >
        <Icon className={tones[line.kind]} aria-hidden="true" />
        <span className="min-w-0">
          <span className="block trunc">
            <span className="sr-only">{inbox.kinds[line.kind]}: </span>
            {line.title}
          </span>
          <span className="block trunc text-small text-fg-3">{line.from}</span>
        </span>
        <Time at={line.at} className="text-small text-fg-3" />
      </button>
    </li>
  );
}
