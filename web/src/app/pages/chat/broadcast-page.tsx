import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { ArrowUpRight, Bot, MessagesSquare } from "lucide-react";
import { type FormEvent, Suspense, useCallback, useState } from "react";
import type { Agent, Run } from "@/api/types";
import { agentsQuery } from "@/features/agents/queries";
import type { DrawAround, DrawCalls, Speaker } from "@/features/conversations/message";
import { type DrawWriting, Thread } from "@/features/conversations/thread";
import { useBroadcast } from "@/features/runs/broadcast/queries";
import { noteRun, runsOfQuery } from "@/features/runs/queries";
import { isActive } from "@/features/runs/stream";
import { hueOf } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { shell } from "@/lib/messages/shell";
import { talk } from "@/lib/messages/talk";
import { onDemand } from "@/lib/on-demand";
import { Glyph, StatePill } from "@/ui/bits";
import { Button } from "@/ui/button";
import { TopBar } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { useCan } from "../../session";
import { useWorkStream } from "./deltas";
import { findAgent } from "./find-agent";
import { LiveAnswer, useKeptAnswer } from "./live-answer";
import "./broadcast.css";

const work = () => import("./work");
const Calls = onDemand(work, "WorkCalls");

const words = talk.broadcast;

/** One message to many agents, their answers side by side; on a phone one swipes from one to the next. */
export default function BroadcastRoute() {
  const can = useCan();
  const agents = useQuery(agentsQuery);
  const [runs, setRuns] = useState<readonly Run[]>();
  const [asked, setAsked] = useState("");
  return (
    <>
      <TopBar title={words.title}>
        {runs && <Button onClick={() => setRuns(undefined)}>{words.again}</Button>}
        <Link to="/chat/all" className="btn ghost">
          <MessagesSquare aria-hidden="true" />
          {shell.allChats}
        </Link>
      </TopBar>
      {runs ? (
        <Answers runs={runs} asked={asked} agents={agents.data?.data ?? []} mayWrite={can("runs:write")} />
      ) : can("runs:write") ? (
        <View
          query={agents}
          rows={6}
          isEmpty={(page) => page.data.length === 0}
          empty={<Empty title={words.pick} body={words.body} />}
        >
          {(page) => (
            <Ask
              agents={page.data}
              before={asked}
              onAsked={(text, started) => {
                setAsked(text);
                setRuns(started);
              }}
            />
          )}
        </View>
      ) : (
        <Empty title={common.errors.title} body={words.body} />
      )}
    </>
  );
}

function Ask({
  agents,
  before,
  onAsked,
}: {
  agents: readonly Agent[];
  before: string;
  onAsked: (text: string, runs: readonly Run[]) => void;
}) {
  const { q } = useSearch({ strict: false });
  const cache = useQueryClient();
  const [text, setText] = useState(before || q || "");
  const [picked, setPicked] = useState<readonly string[]>(() => agents.slice(0, 3).map((one) => one.name));
  const broadcast = useBroadcast();
  const toggle = (name: string) =>
    setPicked(picked.includes(name) ? picked.filter((one) => one !== name) : [...picked, name]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "" || picked.length < 2) return;
    broadcast.mutate(
      { agents: [...picked], message: text.trim() },
      {
        onSuccess: ({ data }) => {
          for (const one of data) noteRun(cache, one.run);
          onAsked(
            text.trim(),
            data.map((one) => one.run),
          );
        },
        onError: (error) => toast.failed(error, words.title),
      },
    );
  };
  return (
    <form
      className="mx-auto flex w-full max-w-[728px] flex-col gap-5 overflow-y-auto p-4 sm:p-7"
      onSubmit={submit}
    >
      <p className="text-fg-2">{words.body}</p>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 font-medium">{words.agents}</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {agents.map((one) => (
            <label key={one.name} className="pick">
              <input type="checkbox" checked={picked.includes(one.name)} onChange={() => toggle(one.name)} />
              <Glyph hue={hueOf(one.name, one.hue)} size="l">
                <Bot />
              </Glyph>
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{one.title}</span>
                <span className="trunc block text-small text-fg-3">{one.description}</span>
              </span>
            </label>
          ))}
        </div>
        {picked.length < 2 && <p className="text-small text-warn">{words.pick}</p>}
      </fieldset>
      <label className="field">
        <span className="lab">{words.message}</span>
        <textarea
          className="in min-h-28"
          placeholder={words.placeholder}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit(event);
          }}
        />
      </label>
      <div className="flex justify-end">
        <Button
          type="submit"
          look="solid"
          busy={broadcast.isPending}
          disabled={text.trim() === "" || picked.length < 2}
        >
          {words.send(picked.length)}
        </Button>
      </div>
    </form>
  );
}

function Answers({
  runs,
  asked,
  agents,
  mayWrite,
}: {
  runs: readonly Run[];
  asked: string;
  agents: readonly Agent[];
  mayWrite: boolean;
}) {
  const speaker = useCallback(
    (author: string): Speaker => {
      const one = findAgent(agents, author);
      const name = one?.name ?? author;
      return { name, title: one?.title ?? author, hue: hueOf(name, one?.hue) };
    },
    [agents],
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <p className="border-b border-line px-4 py-3 sm:px-7">
        <span className="text-fg-3">{words.message}: </span>
        {asked}
      </p>
      <section className="answers" aria-label={words.answers}>
        {runs.map((run) => (
          <Answer key={run.id} run={run} speaker={speaker} mayWrite={mayWrite} />
        ))}
      </section>
    </div>
  );
}

const nothing: DrawAround = () => null;

/** One agent's answer, as it is written. */
function Answer({
  run,
  speaker,
  mayWrite,
}: {
  run: Run;
  speaker: (name: string) => Speaker;
  mayWrite: boolean;
}) {
  useWorkStream(`conversations/${run.conversation}`);
  const runs = useQuery(runsOfQuery(run.conversation));
  const list = runs.data?.data ?? [run];
  const now = list.find((one) => one.id === run.id) ?? run;
  const active = isActive(now);
  useKeptAnswer(active ? now : undefined);
  const { title, hue } = speaker(run.agent);
  const calls = useCallback<DrawCalls>(
    (calls, of) => (
      <Suspense>
        <Calls calls={calls} run={of} look={speaker} />
      </Suspense>
    ),
    [speaker],
  );
  const writing: DrawWriting = (by, silent) => (
    <LiveAnswer run={now} silent={silent} speaker={by} calls={calls} mayAnswer={mayWrite} />
  );
  return (
    <section className={`answer ${hue}`} aria-label={title}>
      <header className="flex h-[46px] flex-none items-center gap-2 border-b border-line px-3">
        <Glyph hue={hue}>
          <Bot />
        </Glyph>
        <h2 className="trunc flex-1 font-semibold">{title}</h2>
        <StatePill state={now.state} />
        <Link
          to="/chat/$id"
          params={{ id: run.conversation }}
          className="btn ghost icon"
          aria-label={`${words.open}: ${title}`}
        >
          <ArrowUpRight aria-hidden="true" />
        </Link>
      </header>
      <Thread
        conversation={run.conversation}
        speaker={speaker}
        runs={list}
        writing={active ? writing : undefined}
        calls={calls}
        around={nothing}
        sending={[]}
      />
    </section>
  );
}
