import {
  Check,
  ChevronDown,
  CircleStop,
  Clock,
  Code,
  FileText,
  Globe,
  Hand,
  LoaderCircle,
  Lock,
  Search,
  SquareTerminal,
  Wrench,
  X,
} from "lucide-react";
import { type ReactNode, useState } from "react";
import { contentUrl, isShown } from "@/api/files";
import type { Helper, ToolCall } from "@/api/turns";
import { inWords } from "@/lib/format";
import { drawn } from "@/lib/messages/drawn";
import { work as words } from "@/lib/messages/work";
import { itemMoney, short } from "@/lib/money";
import { duration } from "@/lib/time";
import { AgentIcon } from "@/ui/agent-icon";
import { Glyph, Pill } from "@/ui/bits";
import { IconButton } from "@/ui/button";
import { Pictures } from "@/ui/pictures";
import "./work.css";

/** How an agent is shown. */
export type Look = (agent: string) => { title: string; hue: string };

/** What the tools of one turn did. Helpers are lanes, everything else is a row. */
export function Calls({
  calls,
  look,
  helper,
  onStop,
}: {
  calls: readonly ToolCall[];
  look: Look;
  /** The inside of a helper's lane. */
  helper?: ((helper: Helper) => ReactNode) | undefined;
  /** Stops one helper; absent for people who may not. */
  onStop?: ((helper: Helper) => void) | undefined;
}) {
  const lanes = calls.flatMap((call) => call.helpers);
  const rows = calls.filter((call) => call.helpers.length === 0);
  return (
    <section className="calls" aria-label={words.calls}>
      {rows.map((call) => (
        <ToolRow key={call.call} call={call} />
      ))}
      {lanes.length > 0 && (
        <section className="deleg" aria-label={words.helpers}>
          {lanes.map((one) => (
            <Lane key={one.run} helper={one} look={look} inside={helper} onStop={onStop} />
          ))}
        </section>
      )}
    </section>
  );
}

const icons: readonly [RegExp, typeof Wrench][] = [
  [/search|grep|glob|find|recall/, Search],
  [/command|shell|run_|exec|code/, SquareTerminal],
  [/edit|patch|git/, Code],
  [/fetch|http|browser|url|web/, Globe],
  [/file|read|write|list/, FileText],
];

function iconOf(tool: string): typeof Wrench {
  return icons.find(([pattern]) => pattern.test(tool))?.[1] ?? Wrench;
}

function StateIcon({ state, named = true }: { state: (ToolCall | Helper)["state"]; named?: boolean }) {
  const label = words.states[state];
  const shared = named
    ? ({ role: "img", "aria-label": label } as const)
    : ({ "aria-hidden": "true" } as const);
  switch (state) {
    case "done":
      return <Check className="is-done" {...shared} />;
    case "failed":
      return <X className="is-failed" {...shared} />;
    case "stopped":
      return <CircleStop {...shared} />;
    case "waiting":
      return <Hand className="is-waiting" {...shared} />;
    case "running":
      return <LoaderCircle className="is-running spin" {...shared} />;
    default:
      return <Clock {...shared} />;
  }
}

/** How the end of a call is told that a rule stopped. */
const refused = "tool_refused";

/** One call: a line that opens to what went in and what came out. */
function ToolRow({ call }: { call: ToolCall }) {
  const [open, setOpen] = useState(false);
  const Icon = iconOf(call.tool);
  const images = call.images ?? [];
  const row = (
    <details className="tool" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon aria-hidden="true" />
        <span className="mono text-fg">{call.tool}</span>
        <span className="mono trunc flex-1 text-fg-3">{summary(call.args)}</span>
        <Extra call={call} />
        {call.took !== undefined && <span className="num text-micro text-fg-3">{duration(call.took)}</span>}
        {call.code === refused ? (
          <Lock className="is-failed" role="img" aria-label={words.refused} />
        ) : (
          <StateIcon state={call.state} />
        )}
      </summary>
      {open && <Inside call={call} />}
    </details>
  );
  if (images.length === 0) return row;
  return (
    <div className="flex flex-col gap-2">
      {row}
      <Pictures
        label={drawn.pictures(call.tool)}
        items={images.map((one, i) => ({
          src: contentUrl(one.id),
          alt: drawn.picture(call.tool, i + 1, images.length),
          file: !isShown(one.media_type),
        }))}
      />
    </div>
  );
}

/** A few words about the result that are worth seeing without opening. */
function Extra({ call }: { call: ToolCall }) {
  const diff = diffOf(call);
  if (diff) {
    const lines = diff.split("\n");
    const added = lines.filter((line) => line.startsWith("+") && !line.startsWith("+++")).length;
    const removed = lines.filter((line) => line.startsWith("-") && !line.startsWith("---")).length;
    return (
      <span className="mono text-micro">
        <span className="text-ok">+{added}</span> <span className="text-bad">−{removed}</span>
      </span>
    );
  }
  const exit = call.meta?.exit_code;
  return typeof exit === "number" && exit !== 0 ? (
    <span className="mono text-micro text-fg-3">exit {exit}</span>
  ) : null;
}

function diffOf(call: ToolCall): string | undefined {
  const diff = call.meta?.diff;
  return typeof diff === "string" && diff !== "" ? diff : undefined;
}

const shownLines = 12;

function Inside({ call }: { call: ToolCall }) {
  const [all, setAll] = useState(false);
  const diff = diffOf(call);
  const lines = (call.preview ?? "").split("\n");
  const cut = !all && lines.length > shownLines;
  return (
    <div className="body">
      <h4>{words.input}</h4>
      <pre>{pretty(call.args)}</pre>
      <h4>{words.output}</h4>
      {diff ? (
        <pre>
          {diff.split("\n").map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never move
            <span key={i} className={`block ${markOf(line)}`}>
              {line || " "}
            </span>
          ))}
        </pre>
      ) : (
        <pre>{(cut ? lines.slice(-shownLines) : lines).join("\n") || words.nothing}</pre>
      )}
      {cut && !diff && (
        <button type="button" className="link self-start text-small" onClick={() => setAll(true)}>
          {words.showAll(lines.length)}
        </button>
      )}
    </div>
  );
}

function markOf(line: string): string {
  if (line.startsWith("+") && !line.startsWith("+++")) return "add";
  return line.startsWith("-") && !line.startsWith("---") ? "del" : "";
}

function parsed(args: unknown): unknown {
  if (typeof args !== "string") return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

function pretty(args: unknown): string {
  const value = parsed(args);
  if (value === undefined || value === null) return "{}";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** The arguments that say most about a call, before all others. */
const telling = ["command", "path", "file", "url", "query", "pattern", "expression", "task"];

/** The arguments on one line: the values alone say enough. */
function summary(args: unknown): string {
  const value = parsed(args);
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  const place = (name: string) => {
    const at = telling.indexOf(name);
    return at < 0 ? telling.length : at;
  };
  return Object.entries(value)
    .sort(([a], [b]) => place(a) - place(b))
    .map(([, one]) => (typeof one === "string" ? one : JSON.stringify(one)))
    .join("  ")
    .replace(/\s+/g, " ")
    .slice(0, 200);
}

/** What a helper does this moment. */
function now({ line, chars = 0 }: Helper): string {
  if (line) return words.uses(line);
  return chars > 0 ? words.writes(chars) : words.begins;
}

/** How long it took, how many tokens, what it cost; what is unknown is left out. */
function facts({ took, tokens, cost }: Helper): string {
  return [
    took !== undefined && duration(took),
    tokens && words.tokens(short(tokens)),
    cost && itemMoney(cost),
  ]
    .filter(Boolean)
    .join(" · ");
}

const laneTones = { running: "run", done: "ok", failed: "bad", stopped: undefined } as const;

/** One helper at work. A failed lane is open, a finished one folds to its result. */
function Lane({
  helper,
  look,
  inside,
  onStop,
}: {
  helper: Helper;
  look: Look;
  inside: ((helper: Helper) => ReactNode) | undefined;
  onStop: ((helper: Helper) => void) | undefined;
}) {
  const { title, hue } = look(helper.agent);
  const [open, setOpen] = useState(false);
  const working = helper.state === "running" && onStop;
  const line =
    helper.state === "failed"
      ? (helper.error?.message ?? words.helperLost)
      : helper.state === "stopped"
        ? helper.error?.message
        : (helper.preview ?? now(helper));
  return (
    <section className={`lane ${hue}${working ? " stoppable" : ""}`}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Glyph hue={hue}>
            <AgentIcon name={helper.agent} />
          </Glyph>
          <span className="whitespace-nowrap font-semibold">{words.helper(title)}</span>
          <span className="trunc flex-1 text-fg-2">{helper.task}</span>
          <span className="num sum text-micro text-fg-3">{facts(helper)}</span>
          <Pill tone={laneTones[helper.state]}>
            <StateIcon state={helper.state} named={false} />
            <span className="word">{words.states[helper.state]}</span>
          </Pill>
          <ChevronDown className="!h-3.5 !w-3.5 text-fg-3" aria-hidden="true" />
        </summary>
        {open && <div className="inner">{inside?.(helper)}</div>}
      </details>
      {working && (
        <IconButton label={words.stopHelper(title)} className="halt" onClick={() => onStop?.(helper)}>
          <CircleStop aria-hidden="true" />
        </IconButton>
      )}
      {!open && line && <p className="line">{inWords(line)}</p>}
    </section>
  );
}
