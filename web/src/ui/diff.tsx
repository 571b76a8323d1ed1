import { useMemo } from "react";
import { diffLines, folded } from "@/lib/diff";
import { forms } from "@/lib/messages/forms";
import "./editor.css";

/** What differs between two texts, line by line. */
export function Diff({ before, after }: { before: string; after: string }) {
  const pieces = useMemo(() => folded(diffLines(before, after)), [before, after]);
  if (pieces.every((one) => one.kind === "fold" || one.kind === "same"))
    return <p className="text-fg-3">{forms.noDifference}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="diff well mono" aria-label={forms.difference} tabIndex={0}>
      {pieces.map((one, i) =>
        one.kind === "fold" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one fixed text
          <div key={i} className="fold">
            {forms.same(one.lines)}
          </div>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one fixed text
          <div key={i} className={one.kind}>
            <span className="no" aria-hidden="true">
              {one.kind === "in" ? one.after : one.before}
            </span>
            <span className="sign">{{ same: " ", out: "−", in: "+" }[one.kind]}</span>
            <span className="line">{one.text}</span>
          </div>
        ),
      )}
    </section>
  );
}
