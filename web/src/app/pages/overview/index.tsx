import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { Check, MessageSquare, X } from "lucide-react";
import { lazy, type ReactNode, Suspense } from "react";
import type { Conversation, Run, System } from "@/api/types";
import { conversationsQuery } from "@/features/conversations/queries";
import { sumText } from "@/features/costs/amount";
import { todayQuery } from "@/features/costs/queries";
import { pendingQuery } from "@/features/guard/queries";
import { keysQuery, usersQuery } from "@/features/identity/queries";
import { recentRunsQuery } from "@/features/runs/queries";
import { isActive } from "@/features/runs/stream";
import { toneOf } from "@/features/system/health";
import { backupsQuery, systemQuery } from "@/features/system/queries";
import { bytes, count, words as sentence } from "@/lib/format";
import { overview } from "@/lib/messages/overview";
import { shell } from "@/lib/messages/shell";
import { duration } from "@/lib/time";
import { Dot, StatePill, Time } from "@/ui/bits";
import { IconButton } from "@/ui/button";
import { PageBody, Section, TopBar } from "@/ui/page";
import { Empty, Skeleton, View } from "@/ui/states";
import { useInstall } from "../install";
import { useCan, useMe } from "../session";
import { useShell } from "../store";
import { todayOf } from "./today";

const Approval = lazy(() => import("../guard-around"));

/** What needs somebody, what runs, what happened today, how the server is, and what is left to set up. */
export default function OverviewRoute() {
  const can = useCan();
  return (
    <>
      <TopBar title={overview.title}>
        {can("conversations:write") && (
          <Link to="/chat" className="btn solid">
            <MessageSquare aria-hidden="true" />
            {shell.newChat}
          </Link>
        )}
      </TopBar>
      <PageBody>
        <NeedsYou />
        <Today />
        <div className="grid gap-4 lg:grid-cols-[minmax(0,1.35fr)_minmax(0,1fr)]">
          <div className="flex min-w-0 flex-col gap-4">
            <Now />
            <Recent />
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <Checklist />
            {can("system:read") && <HealthCard />}
          </div>
        </div>
      </PageBody>
    </>
  );
}

/** The newest approvals, answerable here; what more there is waits in the inbox. */
function NeedsYou() {
  const can = useCan();
  const pending = useQuery({ ...pendingQuery, enabled: can("guard:approve") });
  const list = pending.data?.data ?? [];
  const words = overview.needs;
  if (list.length === 0) return null;
  return (
    <Section
      title={words.title}
      note={words.count(list.length)}
      actions={
        <Link to="/inbox" className="link text-small">
          {words.all}
        </Link>
      }
    >
      <div className="grid items-start gap-3 lg:grid-cols-2">
        {list.slice(0, 3).map((approval) => (
          <Suspense key={approval.id} fallback={<Skeleton rows={3} />}>
            <Approval id={approval.id} compact />
          </Suspense>
        ))}
      </div>
    </Section>
  );
}

function Today() {
  const runs = useQuery(recentRunsQuery);
  const chats = useInfiniteQuery(conversationsQuery());
  const words = overview.today;
  const can = useCan();
  const spent = useQuery({ ...todayQuery(), enabled: can("costs:read") });
  const facts = todayOf(runs.data?.data ?? [], chats.data?.pages[0]?.data ?? [], new Date());
  const loaded = runs.data && chats.data;
  const cells = [
    [words.chats, count(facts.chats)],
    [words.runs, count(facts.runs)],
    [words.failed, count(facts.failed)],
    [words.median, facts.median === undefined ? words.none : duration(facts.median)],
  ] as const;
  return (
    <section
      className={clsx("card grid grid-cols-2", can("costs:read") ? "sm:grid-cols-5" : "sm:grid-cols-4")}
      aria-label={words.title}
    >
      {cells.map(([name, value]) => (
        <div key={name} className="border-l border-line px-4 py-3.5 first:border-0 max-sm:odd:border-0">
          <div className="text-small text-fg-3">{name}</div>
          <div className="num text-kpi font-medium tracking-tight">{loaded ? value : words.none}</div>
        </div>
      ))}
      {can("costs:read") && (
        <Link to="/costs" className="border-l border-line px-4 py-3.5 hover:bg-hover max-sm:border-0">
          <div className="text-small text-fg-3">{words.spent}</div>
          <div className="num text-kpi font-medium tracking-tight">
            {spent.data ? sumText(spent.data) : words.none}
          </div>
        </Link>
      )}
    </section>
  );
}

function Now() {
  const runs = useQuery(recentRunsQuery);
  const chats = useInfiniteQuery(conversationsQuery());
  const words = overview.now;
  const titles = new Map(chats.data?.pages.flatMap((page) => page.data).map((chat) => [chat.id, chat.title]));
  return (
    <Section title={words.title} flush>
      <View
        query={runs}
        rows={2}
        isEmpty={(page) => !page.data.some(isActive)}
        empty={<Empty title={words.empty} body={words.emptyBody} />}
      >
        {(page) => (
          <ul>
            {page.data.filter(isActive).map((run) => (
              <RunRow key={run.id} run={run} title={titles.get(run.conversation) || words.chat} />
            ))}
          </ul>
        )}
      </View>
    </Section>
  );
}

function RunRow({ run, title }: { run: Run; title: string }) {
  return (
    <li>
      <Link
        to="/chat/$id"
        params={{ id: run.conversation }}
        className="flex min-h-[var(--row)] items-center gap-3 border-b border-line px-4 py-2 hover:bg-hover"
      >
        <StatePill state={run.state} />
        <span className="trunc flex-1">{title}</span>
        <Time at={run.started_at ?? run.created_at} className="text-small text-fg-3" />
      </Link>
    </li>
  );
}

function Recent() {
  const chats = useInfiniteQuery(conversationsQuery());
  const words = overview.recent;
  return (
    <Section
      title={words.title}
      flush
      actions={
        <Link to="/chat/all" className="link text-small">
          {words.all}
        </Link>
      }
    >
      <View
        query={chats}
        isEmpty={(data) => data.pages.every((page) => page.data.length === 0)}
        empty={<Empty title={words.empty} />}
      >
        {(data) => (
          <ul>
            {data.pages[0]?.data.slice(0, 6).map((chat) => (
              <ChatRow key={chat.id} chat={chat} />
            ))}
          </ul>
        )}
      </View>
    </Section>
  );
}

function ChatRow({ chat }: { chat: Conversation }) {
  return (
    <li>
      <Link
        to="/chat/$id"
        params={{ id: chat.id }}
        className="flex min-h-[var(--row)] items-center gap-3 border-b border-line px-4 py-1.5 hover:bg-hover"
      >
        <span className="trunc flex-1">{chat.title || shell.untitled}</span>
        <Time at={chat.updated_at} className="text-small text-fg-3" />
      </Link>
    </li>
  );
}

function HealthCard() {
  const query = useQuery(systemQuery);
  const words = overview.health;
  return (
    <Section
      title={words.title}
      flush
      actions={
        <Link to="/settings/$page" params={{ page: "health" }} className="link text-small">
          {words.all}
        </Link>
      }
    >
      <View query={query}>{(system) => <HealthRows system={system} />}</View>
    </Section>
  );
}

function HealthRows({ system }: { system: System }) {
  const words = overview.health;
  const rows: { name: string; text: string; tone: ReturnType<typeof toneOf> }[] = [
    ...system.checks.map((check) => ({
      name: sentence(check.name),
      text: check.message || sentence(check.status),
      tone: toneOf(check.status),
    })),
    ...(system.disk
      ? [
          {
            name: words.disk,
            text: words.free(bytes(system.disk.free_bytes)),
            tone: system.disk.free_bytes > 1e9 ? ("ok" as const) : ("warn" as const),
          },
        ]
      : []),
    {
      name: words.version,
      text: `${system.version}, ${words.up(duration(Date.now() - Date.parse(system.started_at)))}`,
      tone: "ok",
    },
  ];
  const label: Record<string, string> = overview.dots;
  return (
    <ul>
      {rows.map((row) => (
        <li
          key={row.name}
          className="flex min-h-[var(--row)] items-center gap-3 border-b border-line px-4 last:border-0"
        >
          <Dot tone={row.tone} />
          <span className="sr-only">{label[row.tone]}</span>
          <span className="flex-1">{row.name}</span>
          <span className="num trunc text-small text-fg-3">{row.text}</span>
        </li>
      ))}
    </ul>
  );
}

/** What is left to do after the first start. It goes away by itself, or when hidden. */
function Checklist() {
  const { checklist, set } = useShell();
  const items = useChecklist();
  const words = overview.setup;
  const done = items.filter((item) => item.done).length;
  if (!checklist || done === items.length) return null;
  return (
    <Section
      title={words.title}
      note={words.progress(done, items.length)}
      flush
      actions={
        <IconButton label={words.hide} onClick={() => set({ checklist: false })}>
          <X aria-hidden="true" />
        </IconButton>
      }
    >
      <ul>
        {items.map((item) => (
          <li key={item.title} className="border-b border-line last:border-0">
            <item.Frame>
              <span className={item.done ? "num0 ok" : "num0"}>
                {item.done && <Check aria-hidden="true" />}
              </span>
              <span className="min-w-0 flex-1">
                <span className={item.done ? "block text-fg-3 line-through" : "block font-medium"}>
                  {item.title}
                </span>
                {!item.done && <span className="block text-small text-fg-3">{item.body}</span>}
              </span>
            </item.Frame>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Step = {
  title: string;
  body: string;
  done: boolean;
  Frame: (props: { children: ReactNode }) => ReactNode;
};

const row = "flex items-center gap-3 px-4 py-2.5";
const Still = ({ children }: { children: ReactNode }) => <div className={row}>{children}</div>;
const toSettings = (page: string) =>
  function Frame({ children }: { children: ReactNode }) {
    return (
      <Link to="/settings/$page" params={{ page }} className={`${row} hover:bg-hover`}>
        {children}
      </Link>
    );
  };
const frames = {
  account: toSettings("account"),
  keys: toSettings("keys"),
  users: toSettings("users"),
  backup: toSettings("backup"),
  look: toSettings("appearance"),
};

function ToChat({ children }: { children: ReactNode }) {
  return (
    <Link to="/chat" className={`${row} hover:bg-hover`}>
      {children}
    </Link>
  );
}

function useChecklist(): Step[] {
  const me = useMe();
  const can = useCan();
  const install = useInstall();
  const chats = useInfiniteQuery(conversationsQuery());
  const keys = useQuery({ ...keysQuery, enabled: can("keys:write") });
  const users = useQuery({ ...usersQuery, enabled: can("users:write") });
  const backups = useQuery({ ...backupsQuery, enabled: can("system:write") });
  const words = overview.setup.items;
  const list: (Step & { shown: boolean })[] = [
    { ...words.account, done: true, Frame: Still, shown: true },
    {
      ...words.chat,
      done: !!chats.data?.pages.some((page) => page.data.length > 0),
      Frame: ToChat,
      shown: can("conversations:write"),
    },
    { ...words.totp, done: me.user.totp, Frame: frames.account, shown: me.has_password !== false },
    { ...words.key, done: !!keys.data?.data.length, Frame: frames.keys, shown: can("keys:write") },
    {
      ...words.user,
      done: (users.data?.data.length ?? 0) > 1,
      Frame: frames.users,
      shown: can("users:write"),
    },
    { ...words.backup, done: !!backups.data?.data.length, Frame: frames.backup, shown: can("system:write") },
    {
      ...words.install,
      done: install.state === "installed",
      Frame: frames.look,
      shown: install.state !== "insecure",
    },
  ];
  return list.filter((item) => item.shown);
}
