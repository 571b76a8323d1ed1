import { useInfiniteQuery, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Brain, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useState } from "react";
import { renew } from "@/api/news";
import type { LiveEvent, Run } from "@/api/types";
import { agentsQuery } from "@/features/agents/queries";
import { ordered } from "@/features/conversations/patch";
import { conversationQuery, messagesQuery } from "@/features/conversations/queries";
import { tracksOf } from "@/features/events/lines";
import { EventLog } from "@/features/events/log";
import { eventsQuery, noteEvent } from "@/features/events/queries";
import { ContextParts } from "@/features/runs/context/meter";
import { contextQuery } from "@/features/runs/context/queries";
import { learnedQuery, stepsOfQuery } from "@/features/runs/debug/queries";
import { Steps } from "@/features/runs/debug/steps";
import { runsOfQuery } from "@/features/runs/queries";
import { isActive } from "@/features/runs/stream";
import { hueOf } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { talk } from "@/lib/messages/talk";
import { itemMoney, short } from "@/lib/money";
import { duration } from "@/lib/time";
import { useEvents } from "@/live/react";
import { IconButton } from "@/ui/button";
import { Empty, View } from "@/ui/states";
import { findAgent } from "./find-agent";
import "@/features/conversations/composer.css";

const words = talk.debug;
const tabs = ["events", "trace", "context", "memory"] as const;
type Tab = (typeof tabs)[number];

/** Helpers whose own events are shown too. */
const followed = 12;

/** Beside a chat: every model call, tool and helper as it happens, what the model reads, what it remembers. */
export default function Debug({ conversation, onClose }: { conversation: string; onClose: () => void }) {
  const [tab, setTab] = useState<Tab>("events");
  const runs = useQuery(runsOfQuery(conversation));
  const events = useLog(conversation);
  const run = runs.data?.data[0];
  const active = isActive(run);
  const now = useNow(active);
  return (
    <aside className="drawer anim-drawer" aria-label={words.title}>
      <Tabs tab={tab} onTab={setTab} onClose={onClose} />
      <Counters run={run} events={events.list} now={now} />
      <div className="hr" />
      <div
        className="flex min-h-0 flex-1 flex-col"
        role="tabpanel"
        id="debug-panel"
        aria-labelledby={`debug-${tab}`}
      >
        {tab === "events" && (
          <View query={events.query} isEmpty={() => false} empty={null}>
            {() => <EventLog events={events.list} />}
          </View>
        )}
        {tab === "trace" && <TraceTab run={run} now={now} turns={events.list.length} />}
        {tab === "context" && <ContextTab conversation={conversation} />}
        {tab === "memory" && <MemoryTab conversation={conversation} />}
      </div>
    </aside>
  );
}

/** The events of a conversation, and those of the helpers of its newest run. */
function useLog(conversation: string) {
  const cache = useQueryClient();
  const query = useQuery(eventsQuery(`conversations/${conversation}`));
  const helpers = useMemo(
    () =>
      (query.data?.data ?? [])
        .filter((event) => event.kind === "runs.helper_spawned")
        .slice(-followed)
        .map((event) => `runs/${String(event.data.helper)}`),
    [query.data],
  );
  const inner = useQueries({ queries: helpers.map((channel) => eventsQuery(channel)) });
  useEvents(helpers, (event) => noteEvent(cache, event));
  const list: readonly LiveEvent[] = [
    ...(query.data?.data ?? []),
    ...inner.flatMap((one) => one.data?.data ?? []),
  ].sort((a, b) => (a.cursor ?? 0) - (b.cursor ?? 0));
  return { query, list };
}

/** A clock for what is still running. */
function useNow(live: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [live]);
  return now;
}

function Tabs({ tab, onTab, onClose }: { tab: Tab; onTab: (tab: Tab) => void; onClose: () => void }) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = step && tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onTab(next);
    document.getElementById(`debug-${next}`)?.focus();
  };
  return (
    <header className="dtabs">
      <h2 className="sr-only">{words.title}</h2>
      <div role="tablist" aria-label={words.title} className="flex min-w-0 flex-1 gap-4">
        {tabs.map((one) => (
          <button
            key={one}
            id={`debug-${one}`}
            type="button"
            role="tab"
            aria-selected={tab === one}
            aria-controls="debug-panel"
            tabIndex={tab === one ? 0 : -1}
            onClick={() => onTab(one)}
            onKeyDown={move}
          >
            {words.tabs[one]}
          </button>
        ))}
      </div>
      <span className="flex items-center">
        <IconButton label={common.actions.close} keys="]" onClick={onClose}>
          <X aria-hidden="true" />
        </IconButton>
      </span>
    </header>
  );
}

function Counters({ run, events, now }: { run: Run | undefined; events: readonly LiveEvent[]; now: number }) {
  const agents = useQuery(agentsQuery);
  if (!run) return <p className="p-4 text-fg-3">{words.noRun}</p>;
  const began = Date.parse(run.started_at ?? run.created_at);
  const mine = events.filter((event) => event.data.run === run.id);
  const calls = (kind: string) => mine.filter((event) => event.kind === kind).length;
  const tokens = tokensOf(run, mine);
  const facts = [
    [words.firstToken, run.first_token_at ? duration(Date.parse(run.first_token_at) - began) : "–"],
    [words.elapsed, duration((run.finished_at ? Date.parse(run.finished_at) : Math.max(now, began)) - began)],
    [words.tokens, tokens > 0 ? short(tokens) : "–"],
    [words.cost, itemMoney(run.spent_micros)],
    [words.calls, String(Math.max(run.turns, calls("runs.turn_finished")))],
    [words.toolCalls, String(Math.max(run.calls, calls("runs.tool_started")))],
    [words.helpers, String(calls("runs.helper_spawned"))],
  ] as const;
  const { tracks, total } = tracksOf(events, run.id, now);
  return (
    <>
      <dl className="counters">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {tracks.some((track) => track.bars.length > 0) && (
        <div className="tracks px-4 pb-3" aria-hidden="true">
          {tracks.map((track, i) => {
            const agent = findAgent(agents.data?.data, track.agent);
            return (
              <div
                // biome-ignore lint/suspicious/noArrayIndexKey: tracks are never sorted anew
                key={i}
                className={`contents ${hueOf(track.agent, agent?.name === track.agent ? agent.hue : undefined)}`}
              >
                <span className="trunc">{agent?.name === track.agent ? agent.title : track.name}</span>
                <span className="tr">
                  {track.bars.map((bar) => (
                    <span
                      key={`${bar.from} ${bar.kind}`}
                      className={`b ${bar.kind}`}
                      style={{
                        left: `${(bar.from / total) * 100}%`,
                        width: `${((bar.to - bar.from) / total) * 100}%`,
                      }}
                    />
                  ))}
                </span>
              </div>
            );
          })}
          <span className="ax num">
            <span>0</span>
            <span>{duration(total)}</span>
          </span>
        </div>
      )}
    </>
  );
}

/** Tokens of the run: its own count when it is over, else what its turns said so far. */
function tokensOf(run: Run, events: readonly LiveEvent[]): number {
  if (run.usage) return run.usage.input + run.usage.output + (run.usage.cache_read ?? 0);
  return events
    .filter((event) => event.kind === "runs.turn_finished")
    .reduce((sum, event) => {
      const usage = event.data.usage as { input?: number; output?: number } | undefined;
      return sum + (usage?.input ?? 0) + (usage?.output ?? 0);
    }, 0);
}

function TraceTab({ run, now, turns }: { run: Run | undefined; now: number; turns: number }) {
  const cache = useQueryClient();
  const steps = useQuery({ ...stepsOfQuery(run?.id ?? ""), enabled: !!run });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each event of the run may be a step
  useEffect(() => {
    if (run) renew(cache, { queryKey: stepsOfQuery(run.id).queryKey });
  }, [cache, run?.id, turns]);
  if (!run) return <Empty title={words.empty} body={words.emptyBody} />;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto py-2">
      <View
        query={steps}
        isEmpty={(page) => page.data.length === 0}
        empty={<Empty title={words.empty} body={words.emptyBody} />}
      >
        {(page) => <Steps steps={page.data} hue={hueOf(run.agent)} now={now} />}
      </View>
      <Link to="/traces/$run" params={{ run: run.id }} className="link block px-4 py-3 text-small">
        {words.openTrace}
      </Link>
    </div>
  );
}

function ContextTab({ conversation }: { conversation: string }) {
  const chat = useQuery(conversationQuery(conversation));
  const query = useQuery(contextQuery(conversation, { agent: chat.data?.agent, text: true }));
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4 text-small">
      <View
        query={query}
        isEmpty={(context) => context.sections.length === 0}
        empty={<Empty title={talk.context.empty} body={talk.context.emptyBody} />}
      >
        {(context) => (
          <>
            <ContextParts context={context} />
            {context.sections.map((one) => (
              <details key={one.kind} className="well p-3">
                <summary className="cursor-pointer font-medium">
                  {talk.context.kinds[one.kind] ?? one.kind}{" "}
                  <span className="num font-normal text-fg-3">{talk.context.used(short(one.tokens))}</span>
                </summary>
                <pre className="mono mt-2 max-h-80 overflow-auto whitespace-pre-wrap break-words text-micro">
                  {one.text}
                </pre>
              </details>
            ))}
          </>
        )}
      </View>
    </div>
  );
}

function MemoryTab({ conversation }: { conversation: string }) {
  const messages = useInfiniteQuery(messagesQuery(conversation));
  const learned = useQuery(learnedQuery(conversation));
  const read = useMemo(() => {
    const all = ordered(messages.data).flatMap((message) => message.notes?.recalled ?? []);
    return [...new Map(all.map((one) => [one.id, one])).values()];
  }, [messages.data]);
  const written = learned.data ?? [];
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4 text-small">
      <View
        query={learned}
        isEmpty={() => read.length + written.length === 0}
        empty={<Empty icon={<Brain />} title={words.noMemory} body={words.noMemoryBody} />}
      >
        {() => (
          <>
            <Facts
              title={words.read}
              items={read.map((one) => ({
                id: one.id,
                text: one.text,
                note: one.score ? words.score(one.score.toFixed(2)) : (one.source ?? ""),
              }))}
            />
            <Facts
              title={words.written}
              items={written.map((one) => ({ id: one.id, text: one.text, note: one.state }))}
            />
          </>
        )}
      </View>
    </div>
  );
}

function Facts({
  title,
  items,
}: {
  title: string;
  items: readonly { id: string; text: string; note: string }[];
}) {
  if (items.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">{title}</h3>
      <ul className="flex flex-col gap-2">
        {items.map((one) => (
          <li key={one.id} className="well flex gap-3 px-3 py-2">
            <span className="flex-1">{one.text}</span>
            <span className="num flex-none text-fg-3">{one.note}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
