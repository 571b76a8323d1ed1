import { RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { contentUrl, isShown } from "@/api/files";
import { drawn } from "@/lib/messages/drawn";
import { traces as words } from "@/lib/messages/traces";
import { itemMoney } from "@/lib/money";
import { duration, exactTime } from "@/lib/time";
import { Glyph, StatePill } from "@/ui/bits";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { Pictures } from "@/ui/pictures";
import type { Span } from "./spans";
import { spanIcons } from "./waterfall";

/** What went into one step and what came out. */
export function SpanPanel({
  span,
  hue,
  links,
  onReplay,
}: {
  span: Span | undefined;
  hue: (agent: string) => string;
  /** Where a step leads to, such as the call in the audit. */
  links?: (span: Span) => ReactNode;
  /** Does the step's turn anew; left out where that is not allowed. */
  onReplay?: ((span: Span) => void) | undefined;
}) {
  if (!span) return <p className="p-4 text-fg-3">{words.pick}</p>;
  const { step, run } = span;
  const error = step ? undefined : run.error;
  const Icon = spanIcons[span.kind];
  return (
    <div className="flex flex-col gap-3 p-4">
      <header className="flex items-center gap-3">
        {Icon && (
          <Glyph hue={hue(span.agent)} size="l">
            <Icon />
          </Glyph>
        )}
        <div className="min-w-0 flex-1">
          <h2 className="mono trunc font-semibold">{span.name}</h2>
          <p className="trunc text-small text-fg-3">
            {words.kinds[span.kind] ?? span.kind} · {span.agent}
            {step?.turn !== undefined && ` · ${words.turnOf(step.turn)}`}
          </p>
        </div>
        <StatePill state={span.state === "done" ? "finished" : span.state} />
      </header>
      {error && (
        <Block title={words.error}>
          <p className="text-fg-2">{error.message}</p>
          {error.hint && <p className="text-fg-3">{error.hint}</p>}
          <code className="mono text-small text-fg-3">{error.code}</code>
        </Block>
      )}
      <Facts span={span} />
      {step?.need && (
        <Block title={words.asked}>
          <p>{step.need.question}</p>
          {step.need.rule && <p className="mono text-small text-fg-3">{step.need.rule}</p>}
          {step.reply && <p className="text-fg-2">{words.answered(replyText(step.reply))}</p>}
        </Block>
      )}
      {links?.(span)}
      {step?.input !== undefined && <Code title={words.input} value={step.input} />}
      {(step?.output !== undefined || step?.preview) && (
        <Code title={words.output} value={step.output ?? step.preview} />
      )}
      {step?.images && (
        <Pictures
          label={drawn.pictures(step.name)}
          items={step.images.map((one, i, all) => ({
            src: contentUrl(one.id),
            alt: drawn.picture(step.name, i + 1, all.length),
            file: !isShown(one.media_type),
          }))}
        />
      )}
      {!step && run.task && <Code title={words.task} value={run.task} />}
      {!step && run.result && <Code title={words.output} value={run.result} />}
      {onReplay && (
        <div className="card flex flex-col gap-2 p-3">
          <p className="flex items-center gap-2 font-medium">
            <RotateCw className="!h-3.5 !w-3.5 text-accent" aria-hidden="true" />
            {words.replayHere}
          </p>
          <p className="text-small text-fg-3">{words.replayHereBody}</p>
          <div>
            <Button look="accent" onClick={() => onReplay(span)}>
              {words.replay}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

const replyText = (reply: { text?: string; choices?: string[] }) =>
  reply.text || (reply.choices ?? []).join(", ");

function Facts({ span: { step, run, start, end } }: { span: Span }) {
  const usage = step ? step.usage : run.usage;
  return (
    <dl className="grid grid-cols-[96px_1fr] gap-x-3 gap-y-1 text-small">
      <Fact name={words.begins}>
        {words.after(duration(start))}
        {step?.started_at && <span className="text-fg-3"> · {exactTime(step.started_at)}</span>}
      </Fact>
      <Fact name={words.duration}>{duration(end - start)}</Fact>
      {step?.ttft_ms !== undefined && <Fact name={words.first}>{duration(step.ttft_ms)}</Fact>}
      {step?.title && <Fact name={words.what}>{step.title}</Fact>}
      {step?.origin && <Fact name={words.origin}>{step.origin}</Fact>}
      {!step && <Fact name={words.model}>{run.model}</Fact>}
      {step?.code && <Fact name={words.code}>{step.code}</Fact>}
      {usage && (
        <Fact name={words.tokens}>
          {words.tokensIn(String(usage.input ?? 0), String(usage.output ?? 0))}
          {usage.cache_read ? ` · ${words.cached(String(usage.cache_read))}` : ""}
          {usage.reasoning ? ` · ${words.reasoning(String(usage.reasoning))}` : ""}
        </Fact>
      )}
      {!step && <Fact name={words.cost}>{itemMoney(run.spent_micros)}</Fact>}
      {!step && run.attempt > 1 && <Fact name={words.attempt}>{run.attempt}</Fact>}
      <Fact name={words.id}>
        <span className="mono break-all">{step?.call ?? run.id}</span>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{name}</dt>
      <dd className="num min-w-0 break-words">{children}</dd>
    </>
  );
}

function Block({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1 text-micro text-fg-3">{title}</h3>
      {children}
    </section>
  );
}

function Code({ title, value }: { title: string; value: unknown }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <Block title={title}>
      <div className="well relative">
        <span className="absolute right-1 top-1">
          <CopyButton text={text} label={title} />
        </span>
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="mono max-h-96 overflow-auto whitespace-pre-wrap break-words p-3 pr-10 text-small"
        >
          {text}
        </pre>
      </div>
    </Block>
  );
}
