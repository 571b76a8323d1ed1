import { useQuery } from "@tanstack/react-query";
import { Brain, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { common } from "@/lib/messages/common";
import { memory } from "@/lib/messages/memory";
import { Pill, Time } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Field, Input, TextArea } from "@/ui/field";
import { Section } from "@/ui/page";
import { useRemoval } from "@/ui/removal";
import { Empty, Problem, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import {
  type Fact,
  factsQuery,
  historyQuery,
  useForget,
  usePin,
  useRemember,
  useReview,
  useRewrite,
} from "./queries";

const words = memory.facts;

/** How a fact leads to where it was said. */
export type SourceLink = (conversation: string, children: ReactNode) => ReactNode;

const failed = (error: unknown) => toast.failed(error, common.errors.title);

/** What is remembered, and a field to add to it. */
export function Facts({ mayWrite, link }: { mayWrite: boolean; link: SourceLink }) {
  const facts = useQuery(factsQuery("active"));
  const pin = usePin();
  const forget = useForget();
  const [editing, setEditing] = useState<Fact>();
  const [find, setFind] = useState("");
  const wanted = find.trim().toLowerCase();
  const [ask, dialog] = useRemoval<Fact>({
    title: () => words.forgetTitle,
    body: words.forgetBody,
    action: words.forget,
    done: words.forgotten,
    remove: (fact) => forget.mutateAsync(fact.id),
    shown: (fact) => <p className="well p-3">{fact.text}</p>,
  });
  return (
    <>
      {mayWrite && <Remember />}
      <Section
        title={memory.tabs.facts}
        flush
        actions={
          facts.data &&
          facts.data.data.length > 5 && (
            <Input
              type="search"
              className="max-w-[220px]"
              aria-label={words.find}
              placeholder={words.find}
              value={find}
              onChange={(event) => setFind(event.target.value)}
            />
          )
        }
      >
        <View
          query={facts}
          isEmpty={(page) => page.data.length === 0}
          empty={<Empty icon={<Brain />} title={words.empty} body={words.emptyBody} />}
        >
          {(page) => (
            <ul>
              {page.data
                .filter((fact) => fact.text.toLowerCase().includes(wanted))
                .map((fact) => (
                  <Row key={fact.id} fact={fact} link={link}>
                    {mayWrite && (
                      <>
                        <IconButton label={words.edit} onClick={() => setEditing(fact)}>
                          <Pencil aria-hidden="true" />
                        </IconButton>
                        <IconButton
                          label={fact.pinned ? words.unpin : words.pin}
                          onClick={() =>
                            pin.mutate({ id: fact.id, pinned: !fact.pinned }, { onError: failed })
                          }
                        >
                          {fact.pinned ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />}
                        </IconButton>
                        <IconButton label={words.forget} onClick={() => ask(fact)}>
                          <Trash2 aria-hidden="true" />
                        </IconButton>
                      </>
                    )}
                  </Row>
                ))}
            </ul>
          )}
        </View>
      </Section>
      {editing && <Rewrite fact={editing} onClose={() => setEditing(undefined)} />}
      {dialog}
    </>
  );
}

function Remember() {
  const [text, setText] = useState("");
  const remember = useRemember();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "") return;
    remember.mutate(text.trim(), {
      onSuccess: () => {
        setText("");
        toast.done(words.remembered);
      },
      onError: failed,
    });
  };
  return (
    <form className="flex gap-2" onSubmit={submit} aria-label={words.add}>
      <Input
        className="flex-1"
        aria-label={words.add}
        placeholder={words.placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" look="solid" busy={remember.isPending} disabled={text.trim() === ""}>
        {words.remember}
      </Button>
    </form>
  );
}

/** Changes the text of a fact, beside what it said before. */
function Rewrite({ fact, onClose }: { fact: Fact; onClose: () => void }) {
  const [text, setText] = useState(fact.text);
  const history = useQuery(historyQuery(fact.id));
  const rewrite = useRewrite();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rewrite.mutate(
      { id: fact.id, text: text.trim() },
      {
        onSuccess: () => {
          toast.done(words.saved);
          onClose();
        },
      },
    );
  };
  return (
    <Dialog open onClose={onClose} title={words.editTitle} body={words.editBody}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Field label={words.text}>
          {(control) => (
            <TextArea
              autoFocus
              required
              rows={3}
              className="py-2"
              value={text}
              onChange={(event) => setText(event.target.value)}
              {...control}
            />
          )}
        </Field>
        <section aria-label={words.before}>
          <h3 className="mb-1 text-micro text-fg-3">{words.before}</h3>
          <View
            query={history}
            rows={1}
            isEmpty={(page) => page.data.length === 0}
            empty={<p className="text-small text-fg-3">{words.noBefore}</p>}
          >
            {(page) => (
              <ul className="flex flex-col gap-1 text-small">
                {page.data.map((one) => (
                  <li key={one.id} className="flex gap-3">
                    <span className="flex-1">{one.text}</span>
                    <Time at={one.updated_at} className="text-fg-3" />
                  </li>
                ))}
              </ul>
            )}
          </View>
        </section>
        {rewrite.error != null && <Problem error={rewrite.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button
            type="submit"
            look="solid"
            busy={rewrite.isPending}
            disabled={text.trim() === "" || text.trim() === fact.text}
          >
            {common.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Row({ fact, link, children }: { fact: Fact; link: SourceLink; children: ReactNode }) {
  return (
    <li className="flex items-center gap-3 border-t border-line px-4 py-2 first:border-t-0">
      <span className="min-w-0 flex-1">
        <span className="block">{fact.text}</span>
        <span className="flex flex-wrap gap-x-3 text-small text-fg-3">
          <Time at={fact.updated_at} />
          <span>{words.used(fact.uses)}</span>
          {fact.confidence < 1 && <span>{words.sure(Math.round(fact.confidence * 100))}</span>}
          {fact.agent && <span>{fact.agent}</span>}
          {fact.source.conversation && link(fact.source.conversation, words.source)}
        </span>
      </span>
      {fact.pinned && <Pill tone="run">{words.pinned}</Pill>}
      {children}
    </li>
  );
}

/** What an agent was not sure about: someone says yes or no. */
export function Review({ mayWrite, link }: { mayWrite: boolean; link: SourceLink }) {
  const facts = useQuery(factsQuery("review"));
  const review = useReview();
  const say = (fact: string, keep: boolean) => review.mutate({ fact, keep }, { onError: failed });
  return (
    <Section title={memory.tabs.review} flush>
      <View
        query={facts}
        isEmpty={(page) => page.data.length === 0}
        empty={<Empty icon={<Brain />} title={memory.review.empty} body={memory.review.emptyBody} />}
      >
        {(page) => (
          <ul>
            {page.data.map((fact) => (
              <Row key={fact.id} fact={fact} link={link}>
                {mayWrite && (
                  <>
                    <Button onClick={() => say(fact.id, false)}>{memory.review.reject}</Button>
                    <Button look="solid" onClick={() => say(fact.id, true)}>
                      {memory.review.accept}
                    </Button>
                  </>
                )}
              </Row>
            ))}
          </ul>
        )}
      </View>
    </Section>
  );
}
