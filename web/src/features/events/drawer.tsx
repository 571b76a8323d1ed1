import { useQuery } from "@tanstack/react-query";
import { Ban, Check, Clock, MessageSquare, Pencil, Play, Plus, Trash2, X } from "lucide-react";
import { useState } from "react";
import type { LiveEvent, Run } from "@/api/types";
import { words as sentence } from "@/lib/format";
import { chat } from "@/lib/messages/chat";
import { common } from "@/lib/messages/common";
import { duration, exactTime } from "@/lib/time";
import { StatePill } from "@/ui/bits";
import { IconButton } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { Empty, View } from "@/ui/states";
import { eventsQuery } from "./queries";

const words = chat.drawer;

const icons: Record<string, typeof Check> = {
  "conversations.created": Plus,
  "conversations.changed": Pencil,
  "conversations.deleted": Trash2,
  "conversations.message_added": MessageSquare,
  "runs.queued": Clock,
  "runs.started": Play,
  "runs.finished": Check,
  "runs.failed": X,
  "runs.cancelled": Ban,
};

/** Beside a chat: the newest run in numbers and every event of the conversation. */
export function EventsDrawer({
  channel,
  run,
  onClose,
}: {
  channel: string;
  run: Run | undefined;
  onClose: () => void;
}) {
  const query = useQuery(eventsQuery(channel));
  const [picked, setPicked] = useState<LiveEvent>();
  return (
    <aside className="drawer anim-drawer" aria-label={words.title}>
      <header className="flex h-[46px] flex-none items-center gap-2 border-b border-line pl-4 pr-2">
        <h2 className="flex-1 text-base font-semibold">{words.title}</h2>
        <IconButton label={common.actions.close} keys="]" onClick={onClose}>
          <X aria-hidden="true" />
        </IconButton>
      </header>
      <Facts run={run} />
      <div className="hr" />
      <div className="min-h-0 flex-1 overflow-y-auto py-2">
        <View
          query={query}
          isEmpty={(page) => page.data.length === 0}
          empty={<Empty title={words.empty} body={words.emptyBody} />}
        >
          {(page) => <Rows events={page.data} picked={picked} onPick={setPicked} />}
        </View>
      </div>
      {picked && (
        <section
          className="max-h-[40%] flex-none overflow-auto border-t border-line bg-sunken"
          aria-label={picked.kind}
        >
          <header className="flex items-center gap-2 px-4 pt-2">
            <h3 className="mono flex-1 text-small">{picked.kind}</h3>
            <CopyButton text={JSON.stringify(picked, null, 2)} label={words.copyJson} />
          </header>
          <pre className="mono overflow-x-auto px-4 pb-3 text-small">
            {JSON.stringify(picked.data, null, 2)}
          </pre>
        </section>
      )}
    </aside>
  );
}

function Facts({ run }: { run: Run | undefined }) {
  if (!run) return <p className="p-4 text-fg-3">{words.noRun}</p>;
  const began = Date.parse(run.started_at ?? run.created_at);
  const first = run.first_token_at ? duration(Date.parse(run.first_token_at) - began) : "–";
  const total = run.finished_at ? duration(Date.parse(run.finished_at) - began) : "–";
  const facts = [
    [words.firstToken, first],
    [words.elapsed, total],
  ] as const;
  return (
    <dl className="grid grid-cols-[auto_1fr_1fr] items-end gap-4 px-4 py-3">
      <div>
        <dt className="text-micro text-fg-3">{words.state}</dt>
        <dd className="mt-0.5">
          <StatePill state={run.state} />
        </dd>
      </div>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-micro text-fg-3">{name}</dt>
          <dd className="num text-title font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Rows({
  events,
  picked,
  onPick,
}: {
  events: readonly LiveEvent[];
  picked: LiveEvent | undefined;
  onPick: (event: LiveEvent) => void;
}) {
  const first = Date.parse(events[0]?.at ?? "");
  return [...events].reverse().map((event) => {
    const Icon = icons[event.kind] ?? Clock;
    return (
      <button
        key={event.cursor}
        type="button"
        className="ev"
        aria-pressed={picked?.cursor === event.cursor}
        onClick={() => onPick(event)}
        title={exactTime(event.at)}
      >
        <span className="t">{since(Date.parse(event.at) - first)}</span>
        <Icon aria-hidden="true" />
        <span className="trunc">{sentence(event.kind.split(".").slice(1).join(" "))}</span>
        <span className="t">{event.kind.split(".")[0]}</span>
      </button>
    );
  });
}

function since(ms: number): string {
  return ms < 100_000 ? (ms / 1000).toFixed(3) : duration(ms);
}
