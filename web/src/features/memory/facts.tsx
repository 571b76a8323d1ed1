import { useQuery } from "@tanstack/react-query";
import { Brain, Pin, PinOff, Trash2 } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { common } from "@/lib/messages/common";
import { memory } from "@/lib/messages/memory";
import { Pill, Time } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Confirm } from "@/ui/dialog";
import { Input } from "@/ui/field";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { type Fact, factsQuery, useForget, usePin, useRemember, useReview } from "./queries";

const words = memory.facts;

/** How a fact leads to where it was said. */
export type SourceLink = (conversation: string, children: ReactNode) => ReactNode;

const failed = (error: unknown) => toast.failed(error, common.errors.title);

/** What is remembered, and a field to add to it. */
export function Facts({ mayWrite, link }: { mayWrite: boolean; link: SourceLink }) {
  const facts = useQuery(factsQuery("active"));
  const pin = usePin();
  const forget = useForget();
  const [going, setGoing] = useState<Fact>();
  return (
    <>
      {mayWrite && <Remember />}
      <Section title={memory.tabs.facts} flush>
        <View
          query={facts}
          isEmpty={(page) => page.data.length === 0}
          empty={<Empty icon={<Brain />} title={words.empty} body={words.emptyBody} />}
        >
          {(page) => (
            <ul>
              {page.data.map((fact) => (
                <Row key={fact.id} fact={fact} link={link}>
                  {mayWrite && (
                    <>
                      <IconButton
                        label={fact.pinned ? words.unpin : words.pin}
                        onClick={() => pin.mutate({ id: fact.id, pinned: !fact.pinned }, { onError: failed })}
                      >
                        {fact.pinned ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />}
                      </IconButton>
                      <IconButton label={words.forget} onClick={() => setGoing(fact)}>
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
      <Confirm
        open={going !== undefined}
        onClose={() => setGoing(undefined)}
        title={words.forgetTitle}
        body={words.forgetBody}
        action={words.forget}
        onConfirm={async () => {
          if (going) await forget.mutateAsync(going.id);
          toast.done(words.forgotten);
        }}
      >
        <p className="well p-3">{going?.text}</p>
      </Confirm>
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

function Row({ fact, link, children }: { fact: Fact; link: SourceLink; children: ReactNode }) {
  return (
    <li className="flex items-center gap-3 border-t border-line px-4 py-2 first:border-t-0">
      <span className="min-w-0 flex-1">
        <span className="block">{fact.text}</span>
        <span className="flex flex-wrap gap-x-3 text-small text-fg-3">
          <Time at={fact.updated_at} />
          <span>{words.used(fact.uses)}</span>
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
