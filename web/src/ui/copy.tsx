import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { copyText } from "@/lib/clipboard";
import { common } from "@/lib/messages/common";
import { Button, IconButton } from "./button";

function useCopy(text: string | (() => string)): [boolean, () => void] {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1600);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = () => void copyText(typeof text === "string" ? text : text()).then(setDone);
  return [done, copy];
}

/** Copies a text; with `word` it is a labelled button, else an icon. */
export function CopyButton({
  text,
  label,
  word,
}: {
  text: string | (() => string);
  label: string;
  word?: boolean;
}) {
  const [done, copy] = useCopy(text);
  const icon = done ? <Check aria-hidden="true" className="text-ok" /> : <Copy aria-hidden="true" />;
  if (word) {
    return (
      <Button onClick={copy}>
        {icon}
        <span aria-live="polite">{done ? common.actions.copied : label}</span>
      </Button>
    );
  }
  return (
    <IconButton label={done ? common.actions.copied : label} onClick={copy}>
      {icon}
    </IconButton>
  );
}

/** A secret that is shown this once, with a copy button beside it. */
export function Once({ text, label }: { text: string; label: string }) {
  return (
    <div className="well flex items-center gap-2 p-2 pl-3">
      <code className="mono min-w-0 flex-1 break-all text-read">{text}</code>
      <CopyButton text={text} label={label} word />
    </div>
  );
}
