import { ArrowUp } from "lucide-react";
import { type FormEvent, useState } from "react";
import { common } from "@/lib/messages/common";
import { work as words } from "@/lib/messages/work";
import { IconButton } from "@/ui/button";
import { toast } from "@/ui/toast";
import { useTell } from "./queries";
import type { Told } from "./told";

/** A field for a word to one helper; the others do not hear it. */
export function Tell({ run, title }: { run: string; title: string }) {
  const tell = useTell();
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const message = text.trim();
    if (message === "" || tell.isPending) return;
    tell.mutate(
      { run, message },
      {
        onSuccess: () => setText((now) => (now.trim() === message ? "" : now)),
        onError: (error) => toast.failed(error, common.errors.title),
      },
    );
  };
  return (
    <form className="tell" onSubmit={submit}>
      <input
        className="in flex-1"
        aria-label={words.tell(title)}
        placeholder={words.tellPlaceholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        enterKeyHint="send"
      />
      <IconButton
        type="submit"
        label={words.tellSend}
        look="plain"
        disabled={text.trim() === ""}
        busy={tell.isPending}
      >
        <ArrowUp aria-hidden="true" />
      </IconButton>
    </form>
  );
}

/** What was said to a helper, and whether it knows. */
export function Said({ told }: { told: Told }) {
  return (
    <p className="told">
      <span className="user-msg">{told.text}</span>
      <span className="text-micro text-fg-3">
        {told.after === undefined ? words.toldSent : words.toldGot}
      </span>
    </p>
  );
}
