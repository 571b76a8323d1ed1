import { Hand } from "lucide-react";
import { type FormEvent, useState } from "react";
import { common } from "@/lib/messages/common";
import { work as words } from "@/lib/messages/work";
import { Button } from "@/ui/button";
import { toast } from "@/ui/toast";
import { Form } from "./form";
import { useAnswerRun } from "./queries";
import type { Need } from "./work";
import "./work.css";

/** A question of an agent, with the answers it offers or a field for one's own. */
export function Question({ need, mayAnswer }: { need: Need; mayAnswer: boolean }) {
  const answer = useAnswerRun();
  const [text, setText] = useState("");
  const [picked, setPicked] = useState<readonly string[]>([]);
  const send = (answers: readonly string[]) =>
    answer.mutate(
      { run: need.run, call: need.call, answers },
      { onError: (error) => toast.failed(error, common.errors.title) },
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (need.multiple) send(picked);
    else if (text.trim() !== "") send([text.trim()]);
  };
  const toggle = (label: string) =>
    setPicked(picked.includes(label) ? picked.filter((one) => one !== label) : [...picked, label]);
  if (need.fields && need.fields.length > 0)
    return (
      <section className="asked" aria-label={words.question}>
        <p className="flex items-center gap-2 font-semibold">
          <Hand className="text-warn" aria-hidden="true" />
          {words.question}
        </p>
        <p>{need.question}</p>
        {mayAnswer && <Form fields={need.fields} busy={answer.isPending} onSend={(text) => send([text])} />}
      </section>
    );
  return (
    <form className="asked" onSubmit={submit} aria-label={words.question}>
      <p className="flex items-center gap-2 font-semibold">
        <Hand className="text-warn" aria-hidden="true" />
        {words.question}
      </p>
      <p>{need.question}</p>
      {need.help && <p className="whitespace-pre-line text-small text-fg-2">{need.help}</p>}
      {mayAnswer && (
        <>
          {need.options && need.options.length > 0 && (
            <div className="flex flex-wrap gap-2">
              {need.options.map((option) => (
                <Button
                  key={option.label}
                  aria-pressed={need.multiple ? picked.includes(option.label) : undefined}
                  look={picked.includes(option.label) ? "solid" : "plain"}
                  busy={answer.isPending}
                  title={option.description}
                  onClick={() => (need.multiple ? toggle(option.label) : send([option.label]))}
                >
                  {words.answers[option.label] ?? option.label}
                </Button>
              ))}
            </div>
          )}
          {(need.kind === "answer" || need.multiple) && (
            <div className="flex gap-2">
              {!need.multiple && (
                <input
                  className="in flex-1"
                  aria-label={words.answer}
                  placeholder={words.answerPlaceholder}
                  value={text}
                  onChange={(event) => setText(event.target.value)}
                />
              )}
              <Button type="submit" look="solid" busy={answer.isPending}>
                {words.answer}
              </Button>
            </div>
          )}
        </>
      )}
    </form>
  );
}
