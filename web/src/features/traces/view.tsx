import { Crosshair, Maximize, Search } from "lucide-react";
import { type KeyboardEvent, useMemo, useState } from "react";
import { copyText } from "@/lib/clipboard";
import { words as sentence } from "@/lib/format";
import { traces as words } from "@/lib/messages/traces";
import { Button, IconButton } from "@/ui/button";
import { Input } from "@/ui/field";
import { toast } from "@/ui/toast";
import { Minimap } from "./minimap";
import { criticalPath, type Span, unfolded, type Window, zoom } from "./spans";
import { Waterfall } from "./waterfall";

/** The waterfall with what helps to read it: a small map, a search, the critical path, and keys for all of it. */
export function TraceView({
  spans,
  hue,
  picked,
  onPick,
}: {
  spans: readonly Span[];
  hue: (agent: string) => string;
  picked: string | undefined;
  onPick: (id: string) => void;
}) {
  const total = Math.max(...spans.map((span) => span.end), 1);
  const [part, setPart] = useState<Window>();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [find, setFind] = useState("");
  const [critical, setCritical] = useState(false);
  const path = useMemo(() => (critical ? criticalPath(spans) : undefined), [critical, spans]);
  const window = part ?? { from: 0, to: total };
  const wanted = find.trim().toLowerCase();
  const dim = (span: Span) =>
    (wanted !== "" && !`${span.name} ${span.note} ${span.agent}`.toLowerCase().includes(wanted)) ||
    (path !== undefined && !span.parent && !path.has(span.id));
  const press = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.target instanceof HTMLInputElement) return;
    const at = spans.findIndex((span) => span.id === picked);
    const failing = [...spans.slice(at + 1), ...spans.slice(0, at + 1)].find(
      (span) => span.state === "failed" && !span.parent,
    );
    const keys: Record<string, () => void> = {
      "+": () => setPart(zoom(window, 0.6, total)),
      "-": () => setPart(zoom(window, 1 / 0.6, total)),
      "0": () => setPart(undefined),
      n: () => failing && onPick(failing.id),
      p: () => setCritical(!critical),
      y: () => {
        const id = spans[at]?.step?.call ?? spans[at]?.run.id;
        if (id) void copyText(id).then(() => toast.done(words.copied, id));
      },
    };
    const act = keys[event.key.toLowerCase()];
    if (!act) return;
    act();
    event.preventDefault();
  };
  const agents = [...new Set(spans.map((span) => span.agent))];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the view; each has a button or a row that does the same
    <div className="flex min-h-0 min-w-0 flex-1 flex-col lg:overflow-y-auto" onKeyDown={press}>
      <div className="flex flex-wrap items-center gap-2 px-4 pb-2 pt-3">
        <span className="relative min-w-36 flex-1 sm:max-w-52">
          <Search
            className="pointer-events-none absolute left-2.5 top-1/2 !h-3.5 !w-3.5 -translate-y-1/2 text-fg-3"
            aria-hidden="true"
          />
          <Input
            type="search"
            className="!pl-8"
            aria-label={words.find}
            placeholder={words.find}
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
        </span>
        <Button aria-pressed={critical} onClick={() => setCritical(!critical)}>
          <Crosshair aria-hidden="true" />
          {words.critical}
        </Button>
        {part && (
          <IconButton label={words.fit} keys="0" onClick={() => setPart(undefined)}>
            <Maximize aria-hidden="true" />
          </IconButton>
        )}
        <span className="flex-1" />
        <ul className="flex flex-wrap gap-x-3 text-small text-fg-2" aria-label={words.legend}>
          {agents.map((agent) => (
            <li key={agent} className={`flex items-center gap-1.5 ${hue(agent)}`}>
              <i className="swatch" aria-hidden="true" />
              {sentence(agent)}
            </li>
          ))}
          <li className="flex items-center gap-1.5">
            <i className="swatch hatch" aria-hidden="true" />
            {words.toFirst}
          </li>
        </ul>
      </div>
      <div className="px-4">
        <Minimap spans={spans} total={total} window={window} hue={hue} onWindow={setPart} />
      </div>
      <div className="flex-1 p-3">
        <Waterfall
          spans={unfolded(spans, folded)}
          window={window}
          hue={hue}
          picked={picked}
          onPick={onPick}
          folded={folded}
          onFold={(id, fold) => {
            const next = new Set(folded);
            if (fold) next.add(id);
            else next.delete(id);
            setFolded(next);
          }}
          dim={dim}
        />
      </div>
    </div>
  );
}
