import { memo, useEffect, useState } from "react";
import { common } from "@/lib/messages/common";
import { CopyButton } from "./copy";
import { highlight, type Span } from "./highlight";

/** A block of code. Colours come from a worker once the block is complete. */
export const CodeBlock = memo(function CodeBlock({
  text,
  lang,
  open,
}: {
  text: string;
  lang?: string | undefined;
  open?: boolean;
}) {
  const name = lang?.split(/\s/)[0] ?? "";
  const [spans, setSpans] = useState<{ of: string; list: Span[] }>();
  useEffect(() => {
    if (open || name === "") return;
    let current = true;
    void highlight(text, name).then((list) => current && list && setSpans({ of: text, list }));
    return () => {
      current = false;
    };
  }, [text, name, open]);
  const coloured = spans?.of === text ? spans.list : undefined;
  return (
    <div className="codebox">
      <header>
        <span>{name || "text"}</span>
        <CopyButton text={text} label={common.actions.copyCode} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a sideways scrolling area has to be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>
          {coloured
            ? coloured.map(([kind, piece], i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one fixed text
                <span key={i} className={kind && `hljs-${kind}`}>
                  {piece}
                </span>
              ))
            : text}
        </code>
      </pre>
    </div>
  );
});
