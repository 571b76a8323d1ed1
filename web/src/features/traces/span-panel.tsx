import type { ReactNode } from "react";
import { traces as words } from "@/lib/messages/traces";
import { duration } from "@/lib/time";
import { StatePill } from "@/ui/bits";
import { CopyButton } from "@/ui/copy";
import type { Span } from "./spans";

/** What went into one step and what came out. */
export function SpanPanel({ span }: { span: Span | undefined }) {
  if (!span) return <p className="p-4 text-fg-3">{words.pick}</p>;
  const { step, run } = span;
  const error = step ? undefined : run.error;
  return (
    <div className="flex flex-col gap-3 p-4">
      <header className="flex items-center gap-2">
        <h2 className="mono flex-1 overflow-hidden text-ellipsis font-semibold">{span.name}</h2>
        <StatePill state={span.state === "done" ? "finished" : span.state} />
      </header>
      {error && (
        <Block title={words.error}>
          <p className="text-fg-2">{error.message}</p>
          {error.hint && <p className="text-fg-3">{error.hint}</p>}
        </Block>
      )}
      <dl className="grid grid-cols-[90px_1fr] gap-x-3 gap-y-1 text-small">
        <Fact name={words.duration}>{duration(span.end - span.start)}</Fact>
        <Fact name={words.agent}>{span.agent}</Fact>
        {step?.ttft_ms !== undefined && <Fact name={words.first}>{duration(step.ttft_ms)}</Fact>}
        {step?.turn !== undefined && <Fact name={words.turn}>{step.turn}</Fact>}
        {step?.origin && <Fact name={words.origin}>{step.origin}</Fact>}
        {step?.code && <Fact name={words.code}>{step.code}</Fact>}
        {step?.usage && (
          <Fact name={words.tokens}>
            {words.tokensIn(String(step.usage.input ?? 0), String(step.usage.output ?? 0))}
          </Fact>
        )}
      </dl>
      {step?.input !== undefined && <Code title={words.input} value={step.input} />}
      {(step?.output !== undefined || step?.preview) && (
        <Code title={words.output} value={step.output ?? step.preview} />
      )}
      {!step && run.result && <Code title={words.output} value={run.result} />}
    </div>
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
