import { useQuery } from "@tanstack/react-query";
import type { components } from "@/api/schema";
import { talk } from "@/lib/messages/talk";
import { short } from "@/lib/money";
import { Popover } from "@/ui/popover";
import { contextQuery } from "./queries";

const words = talk.context;

type Context = components["schemas"]["Context"];

/** The hue of each part of a context, so that the bar and the list agree. */
const hues: Record<string, string> = {
  instructions: "h-iris",
  guidance: "h-pink",
  memory: "h-amber",
  tools: "h-azure",
  messages: "h-teal",
  results: "h-lime",
  files: "h-coral",
};

/** How full a context is, from 0 to 1; undefined where the limit is not known. */
export function fullness({ used, limit }: Pick<Context, "used" | "limit">): number | undefined {
  return limit ? Math.min(1, used / limit) : undefined;
}

/** A ring that fills with the context; it opens to what fills it. */
export function ContextMeter({
  conversation,
  agent,
  model,
}: {
  conversation: string;
  agent: string | undefined;
  model: string | undefined;
}) {
  const query = useQuery(contextQuery(conversation, { agent, model }));
  const context = query.data;
  if (!context) return null;
  const full = fullness(context);
  const text = full === undefined ? words.used(short(context.used)) : words.meter(percentOf(full));
  return (
    <Popover
      label={words.title}
      trigger={
        <button type="button" className="ctx" data-context aria-label={`${words.label}: ${text}`}>
          <Ring part={full ?? 0} />
          <span className="word">{text}</span>
        </button>
      }
    >
      <h3 className="text-title font-semibold">{words.title}</h3>
      <ContextParts context={context} />
    </Popover>
  );
}

/** A whole percentage; a little is never nothing. */
function percentOf(part: number): number {
  return part > 0 && part < 0.01 ? 1 : Math.round(part * 100);
}

function Ring({ part }: { part: number }) {
  const round = 2 * Math.PI * 6;
  const tone = part >= 0.95 ? "bad" : part >= 0.75 ? "warn" : "";
  return (
    <svg viewBox="0 0 16 16" className="gauge" aria-hidden="true">
      <circle cx="8" cy="8" r="6" />
      <circle cx="8" cy="8" r="6" className={`fill ${tone}`} strokeDasharray={`${part * round} ${round}`} />
    </svg>
  );
}

/** The parts of a context: as a bar, then by name with their sizes. */
export function ContextParts({ context }: { context: Context }) {
  const whole = context.limit || context.used || 1;
  return (
    <>
      <p className="num text-fg-2">
        {context.limit
          ? words.of(short(context.used), short(context.limit))
          : words.noLimit(short(context.used))}
      </p>
      <div className="bar" aria-hidden="true">
        {context.sections.map((one) => (
          <span
            key={one.kind}
            className={hues[one.kind]}
            style={{ width: `${(one.tokens / whole) * 100}%` }}
          />
        ))}
      </div>
      <ul className="flex flex-col gap-1" aria-label={words.table}>
        {context.sections.map((one) => (
          <li key={one.kind} className={`flex items-center gap-2 ${hues[one.kind]}`}>
            <span className="h-2 w-2 flex-none rounded-[3px] bg-[var(--a-fill)]" aria-hidden="true" />
            <span className="flex-1">{words.kinds[one.kind] ?? one.kind}</span>
            <span className="text-fg-3">{words.counts[one.kind]?.(one.count)}</span>
            <span className="num w-14 text-right">{short(one.tokens)}</span>
          </li>
        ))}
      </ul>
      <p className="text-micro text-fg-3">
        {words.last(context.messages)} {words.estimate}
      </p>
    </>
  );
}
