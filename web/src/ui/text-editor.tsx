import clsx from "clsx";
import { type ComponentProps, useId, useRef } from "react";
import { forms } from "@/lib/messages/forms";
import "./editor.css";

/** Something wrong with a line of the text. */
export type Mark = { line: number; text: string };

/** An editor of a text with numbered lines; lines with something wrong are marked and named below. */
export function TextEditor({
  value,
  onChange,
  marks = [],
  label,
  readOnly,
}: {
  value: string;
  onChange: (text: string) => void;
  marks?: readonly Mark[];
  label: string;
  readOnly?: boolean;
}) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const lines = value.split("\n").length;
  const wrong = new Map(marks.map((mark) => [mark.line, mark.text]));
  const go = (line: number) => {
    const at =
      value
        .split("\n")
        .slice(0, line - 1)
        .join("\n").length + (line > 1 ? 1 : 0);
    area.current?.focus();
    area.current?.setSelectionRange(at, at + (value.split("\n")[line - 1]?.length ?? 0));
    area.current?.scrollTo({ top: Math.max(0, (line - 4) * 20) });
  };
  const described: ComponentProps<"textarea"> =
    marks.length > 0 ? { "aria-invalid": true, "aria-describedby": `${id}-marks` } : {};
  return (
    <div className="flex flex-col gap-2">
      <div className={clsx("editor", marks.length > 0 && "bad")}>
        <div ref={gutter} className="gutter" aria-hidden="true">
          {Array.from({ length: lines }, (_, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their number
            <span key={i} className={clsx(wrong.has(i + 1) && "bad")} title={wrong.get(i + 1)}>
              {i + 1}
            </span>
          ))}
        </div>
        <textarea
          ref={area}
          aria-label={label}
          spellCheck={false}
          autoCapitalize="off"
          wrap="off"
          readOnly={readOnly}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
          {...described}
        />
      </div>
      {marks.length > 0 && (
        <ul id={`${id}-marks`} className="flex flex-col gap-1 text-small text-bad" role="alert">
          {marks.map((mark) => (
            <li key={`${mark.line} ${mark.text}`} className="flex gap-2">
              {mark.line > 0 && (
                <button type="button" className="link num flex-none" onClick={() => go(mark.line)}>
                  {forms.line(mark.line)}
                </button>
              )}
              <span>{mark.text}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
