import { ArrowUp, Bot, Check, Hand, MessageSquare, Send, SquareTerminal, X, Zap } from "lucide-react";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import type { LiveEvent } from "@/api/types";
import { talk } from "@/lib/messages/talk";
import { duration, exactTime } from "@/lib/time";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { Empty } from "@/ui/states";
import { type Family, type Line, linesOf } from "./lines";
import "./log.css";

const words = talk.debug;

const icons: Record<Family, typeof Check> = {
  model: Zap,
  tool: SquareTerminal,
  helper: Bot,
  ask: Hand,
  chat: MessageSquare,
};

function iconOf(line: Line): typeof Check {
  if (line.bad) return X;
  if (line.event.kind === "runs.queued") return Send;
  return /finished$/.test(line.event.kind) ? Check : icons[line.family];
}

/** How many lines are drawn; the log keeps more. */
const most = 400;

/** Every event, newest first. It follows the newest until one scrolls, then says how many came. */
export function EventLog({ events }: { events: readonly LiveEvent[] }) {
  const [family, setFamily] = useState<Family | "">("");
  const [cleared, setCleared] = useState(0);
  const [picked, setPicked] = useState<number>();
  const lines = useMemo(() => linesOf(events), [events]);
  const newest = events.at(-1)?.cursor ?? 0;
  const shown = lines
    .filter((line) => (line.event.cursor ?? 0) > cleared && (family === "" || line.family === family))
    .reverse();
  const chosen = lines.find((line) => line.event.cursor === picked)?.event;
  return (
    <>
      <div className="flex flex-none items-center gap-2 px-4 py-2">
        <select
          className="in !h-7 flex-1 !text-small"
          aria-label={words.filter}
          value={family}
          onChange={(event) => setFamily(event.target.value as Family | "")}
        >
          <option value="">{words.all}</option>
          {Object.entries(words.kinds).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <Button look="ghost" disabled={shown.length === 0} onClick={() => setCleared(newest)}>
          {words.clear}
        </Button>
      </div>
      {shown.length === 0 ? (
        <div className="grid flex-1 place-items-center">
          <Empty title={words.empty} body={cleared > 0 ? words.cleared : words.emptyBody} />
        </div>
      ) : (
        <Lines
          lines={shown}
          picked={picked}
          onPick={(cursor) => setPicked(cursor === picked ? undefined : cursor)}
        />
      )}
      {chosen && (
        <section
          className="max-h-[40%] flex-none overflow-auto border-t border-line bg-sunken"
          aria-label={words.words[chosen.kind] ?? chosen.kind}
        >
          <header className="flex items-center gap-2 px-4 pt-2">
            <h3 className="flex-1 font-semibold">{words.words[chosen.kind] ?? chosen.kind}</h3>
            <CopyButton text={JSON.stringify(chosen, null, 2)} label={words.copyJson} />
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long JSON has to be scrolled by keyboard */}
          <pre className="mono overflow-x-auto px-4 pb-3 text-small" tabIndex={0}>
            {JSON.stringify(chosen.data, null, 2)}
          </pre>
        </section>
      )}
    </>
  );
}

function Lines({
  lines,
  picked,
  onPick,
}: {
  lines: readonly Line[];
  picked: number | undefined;
  onPick: (cursor: number | undefined) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const [follow, setFollow] = useState(true);
  const newest = lines[0]?.event.cursor ?? 0;
  const seen = useRef(newest);
  if (follow) seen.current = newest;
  const fresh = follow ? 0 : lines.filter((line) => (line.event.cursor ?? 0) > seen.current).length;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the top moves when a line comes
  useLayoutEffect(() => {
    if (follow && list.current) list.current.scrollTop = 0;
  }, [follow, newest]);

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={list}
        className="h-full overflow-y-auto pb-2"
        onScroll={(event) => setFollow(event.currentTarget.scrollTop < 24)}
      >
        {lines.slice(0, most).map((line) => {
          const Icon = iconOf(line);
          const { cursor, at } = line.event;
          return (
            <button
              key={cursor}
              type="button"
              className="ev"
              aria-pressed={picked === cursor}
              onClick={() => onPick(cursor)}
              title={exactTime(at)}
            >
              <span className="t">{sinceText(line.since)}</span>
              <Icon className={line.bad ? "!text-bad" : `is-${line.family}`} aria-hidden="true" />
              <span className="trunc">
                {line.words} <span className="mono text-fg-3">{line.subject}</span>
              </span>
              <span className="t">{line.value}</span>
            </button>
          );
        })}
      </div>
      {fresh > 0 && (
        <button
          type="button"
          className="chip anim-fade absolute left-1/2 top-2 -translate-x-1/2 bg-raised"
          onClick={() => setFollow(true)}
        >
          <ArrowUp aria-hidden="true" />
          {words.fresh(fresh)}
        </button>
      )}
    </div>
  );
}

function sinceText(ms: number): string {
  return ms < 100_000 ? (ms / 1000).toFixed(3) : duration(ms);
}
