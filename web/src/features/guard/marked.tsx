import { useQuery } from "@tanstack/react-query";
import { guard } from "@/lib/messages/guard";
import { checkQuery } from "./safety/queries";

type Span = { start: number; end: number };

/** The text before, inside and behind a span. The server counts bytes, a browser counts otherwise. */
export function cutAt(text: string, span: Span | undefined): [string, string, string] {
  const bytes = new TextEncoder().encode(text);
  if (!span || span.end <= span.start || span.end > bytes.length) return [text, "", ""];
  const read = (from: number, to?: number) => new TextDecoder().decode(bytes.slice(from, to));
  return [read(0, span.start), read(span.start, span.end), read(span.end)];
}

/** A command with the part that makes it risky: underlined and named, never by colour alone. */
export function MarkedCommand({ text, span }: { text: string; span?: Span | undefined }) {
  const [before, risky, behind] = cutAt(text, span);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls, so it has to be reachable by keyboard
    <pre className="command" tabIndex={0}>
      <code>
        {before}
        {risky && (
          <mark title={guard.card.risky}>
            <span className="sr-only">{guard.card.riskyBegins}</span>
            {risky}
            <span className="sr-only">{guard.card.riskyEnds}</span>
          </mark>
        )}
        {behind}
      </code>
    </pre>
  );
}

/** A command that is judged again to find out which part of it is risky. */
export function JudgedCommand({ text, dir }: { text: string; dir: string }) {
  const { data } = useQuery(checkQuery(text, dir.startsWith("/") ? dir : ""));
  return <MarkedCommand text={text} span={data && data.verdict !== "allow" ? data.span : undefined} />;
}

/** The arguments of a call as lines; what is no object stays as it is. */
export function Arguments({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long arguments scroll, so they have to be reachable by keyboard
    <pre className="command" tabIndex={0}>
      <code>{pretty(text)}</code>
    </pre>
  );
}

export function pretty(text: string): string {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return JSON.stringify(value, null, 2);
    return Object.entries(value)
      .map(([key, one]) => `${key}: ${typeof one === "string" ? one : JSON.stringify(one)}`)
      .join("\n");
  } catch {
    return text;
  }
}
