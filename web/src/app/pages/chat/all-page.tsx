import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { MessageSquare, Plus } from "lucide-react";
import { useMemo } from "react";
import type { Conversation } from "@/api/types";
import { conversationsQuery } from "@/features/conversations/queries";
import { rank } from "@/lib/fuzzy";
import { chat } from "@/lib/messages/chat";
import { common } from "@/lib/messages/common";
import { shell } from "@/lib/messages/shell";
import { Time } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Input } from "@/ui/field";
import { PageBody, Section, TopBar } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { Empty, View } from "@/ui/states";
import { Table } from "@/ui/table";
import { useCan } from "../../session";

const words = chat.all;

/** Every chat, with search over the titles that are loaded. */
export default function AllChatsRoute() {
  const { q = "", archived = false } = useSearch({ strict: false });
  const navigate = useNavigate();
  const can = useCan();
  const query = useInfiniteQuery(conversationsQuery(archived));
  const list = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
  const shown = useMemo(() => rank(q, list, (one) => one.title).map(({ item }) => item), [q, list]);
  const show = (search: { q?: string; archived?: boolean }) =>
    void navigate({
      to: "/chat/all",
      search: { ...(search.q ? { q: search.q } : {}), ...(search.archived ? { archived: true } : {}) },
      replace: true,
    });
  const create = can("conversations:write") && (
    <Link to="/chat" className="btn solid">
      <Plus aria-hidden="true" />
      {shell.newChat}
    </Link>
  );
  return (
    <>
      <TopBar title={words.title}>{create}</TopBar>
      <PageBody narrow>
        <div className="flex flex-wrap items-center gap-3">
          <Input
            type="search"
            className="min-w-[180px] flex-1"
            aria-label={words.search}
            placeholder={words.search}
            value={q}
            onChange={(event) => show({ q: event.target.value, archived })}
          />
          <Segmented
            label={common.actions.more}
            value={archived ? "archived" : "active"}
            options={[
              { value: "active", label: words.active },
              { value: "archived", label: words.archived },
            ]}
            onChange={(value) => show({ q, archived: value === "archived" })}
          />
        </div>
        <Section title={words.title} flush>
          <View
            query={query}
            rows={8}
            isEmpty={() => list.length === 0}
            empty={
              <Empty icon={<MessageSquare />} title={words.empty} body={words.emptyBody}>
                {create}
              </Empty>
            }
          >
            {() =>
              shown.length === 0 ? (
                <Empty title={words.none} body={words.noneBody} />
              ) : (
                <List
                  rows={shown}
                  onOpen={(one) => void navigate({ to: "/chat/$id", params: { id: one.id } })}
                />
              )
            }
          </View>
        </Section>
        {query.hasNextPage && (
          <div className="flex justify-center">
            <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {common.actions.loadMore}
            </Button>
          </div>
        )}
      </PageBody>
    </>
  );
}

function List({ rows, onOpen }: { rows: Conversation[]; onOpen: (one: Conversation) => void }) {
  return (
    <Table
      label={words.title}
      rows={rows}
      id={(one) => one.id}
      onOpen={onOpen}
      columns={[
        {
          head: words.name,
          cell: (one) => (
            <Link to="/chat/$id" params={{ id: one.id }} className="font-medium" tabIndex={-1}>
              {one.title || shell.untitled}
            </Link>
          ),
        },
        {
          head: words.updated,
          right: true,
          cell: (one) => <Time at={one.updated_at} className="text-fg-3" />,
        },
      ]}
    />
  );
}
