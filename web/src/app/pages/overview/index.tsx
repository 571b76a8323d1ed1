import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { MessageSquare } from "lucide-react";
import { Suspense } from "react";
import type { Conversation } from "@/api/types";
import { conversationsQuery } from "@/features/conversations/queries";
import { pendingQuery } from "@/features/guard/queries";
import { overview } from "@/lib/messages/overview";
import { shell } from "@/lib/messages/shell";
import { onDemand } from "@/lib/on-demand";
import { Time } from "@/ui/bits";
import { PageBody, Section, TopBar } from "@/ui/page";
import { Empty, Skeleton, View } from "@/ui/states";
import { useCan } from "../../session";
import { Feed } from "../activity";
import { Agents } from "./agents";
import { Checklist } from "./checklist";
import { HealthCard } from "./health";
import { Now } from "./now";
import { Today } from "./today";
import { Usage } from "./usage";

const Approval = onDemand(() => import("../../guard-around"), "default");

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
            {can("costs:read") && <Usage />}
            <Section
              title={overview.activity.title}
              flush
              actions={
                <Link to="/inbox" search={{ tab: "activity" }} className="link text-small">
                  {overview.activity.all}
                </Link>
              }
            >
              <Feed most={6} />
            </Section>
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <Checklist />
            {can("agents:read") && <Agents />}
            {can("system:read") && <HealthCard />}
            <Recent />
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
