import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import {
  Archive,
  ArchiveRestore,
  Download,
  Ellipsis,
  MessageSquare,
  Pencil,
  Pin,
  PinOff,
  Plus,
  Share2,
  Trash2,
  Users,
} from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import type { Conversation } from "@/api/types";
import { DeleteConversation, RenameConversation } from "@/features/conversations/dialogs";
import { searchQuery } from "@/features/conversations/notes/queries";
import { ExportChat, ImportChat, ShareChat } from "@/features/conversations/notes/share";
import { conversationsQuery, useSaveConversation } from "@/features/conversations/queries";
import { rank } from "@/lib/fuzzy";
import { common } from "@/lib/messages/common";
import { shell } from "@/lib/messages/shell";
import { talk } from "@/lib/messages/talk";
import { Time } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Input } from "@/ui/field";
import { Menu, MenuItem, MenuSeparator } from "@/ui/menu";
import { PageBody, Section, TopBar } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { Empty, View } from "@/ui/states";
import { Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { useCan } from "../../session";
import { type Panel, useArchive } from "./archive";
import "@/features/conversations/notes/notes.css";

const words = talk.all;

/** Every chat, with search over titles and everything that was said. */
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
      <TopBar title={words.title}>
        {can("conversations:write") && (
          <ImportChat onDone={(id) => void navigate({ to: "/chat/$id", params: { id } })} />
        )}
        {create}
      </TopBar>
      <PageBody narrow>
        <div className="flex flex-wrap items-center gap-3">
          <Input
            type="search"
            className="min-w-[180px] flex-1"
            aria-label={talk.search.label}
            placeholder={talk.search.label}
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
        <Section title={q ? talk.search.inTitles : words.title} flush>
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
                  mayWrite={can("conversations:write")}
                  onOpen={(one) => void navigate({ to: "/chat/$id", params: { id: one.id } })}
                />
              )
            }
          </View>
        </Section>
        <Said text={q} />
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

/** Where the words were said, in every chat one may see. */
function Said({ text }: { text: string }) {
  const wanted = useDeferredValue(text.trim());
  const query = useQuery(searchQuery(wanted));
  if (wanted.length < 2) return null;
  return (
    <Section title={talk.search.inMessages} flush>
      <View
        query={query}
        rows={4}
        isEmpty={(page) => page.data.length === 0}
        empty={<Empty title={words.none} body={words.noneBody} />}
      >
        {(page) => (
          <ul>
            {page.data.map((hit) => (
              <li key={hit.message} className="border-b border-line last:border-0">
                <Link
                  to="/chat/$id"
                  params={{ id: hit.conversation }}
                  className="hit flex flex-col gap-0.5 px-4 py-2.5 hover:bg-hover"
                >
                  <span className="flex items-center gap-2">
                    <span className="trunc flex-1 font-medium">{hit.title || shell.untitled}</span>
                    <span className="text-small text-fg-3">
                      {hit.role === "user" ? talk.search.you : hit.author}
                    </span>
                    <Time at={hit.created_at} className="text-small text-fg-3" />
                  </span>
                  <span className="text-fg-2">
                    <Marked text={hit.snippet} words={wanted} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </View>
    </Section>
  );
}

/** A text with the words that were looked for marked. */
function Marked({ text, words: wanted }: { text: string; words: string }) {
  const parts = wanted.split(/\s+/).filter((word) => word.length > 1);
  if (parts.length === 0) return text;
  const pattern = new RegExp(
    `(${parts.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`,
    "gi",
  );
  return text.split(pattern).map((piece, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never move
    i % 2 === 1 ? <mark key={i}>{piece}</mark> : piece,
  );
}

function List({
  rows,
  mayWrite,
  onOpen,
}: {
  rows: Conversation[];
  mayWrite: boolean;
  onOpen: (one: Conversation) => void;
}) {
  const [panel, setPanel] = useState<{ id: string; panel: Panel }>();
  const item = rows.find((one) => one.id === panel?.id);
  const close = () => setPanel(undefined);
  return (
    <>
      <Table
        label={words.title}
        rows={rows}
        id={(one) => one.id}
        onOpen={onOpen}
        columns={[
          {
            head: words.name,
            cell: (one) => (
              <span className="flex min-w-0 items-center gap-2">
                {one.pinned && (
                  <Pin className="!h-3.5 !w-3.5 flex-none text-fg-3" aria-label={talk.search.pinned} />
                )}
                <Link to="/chat/$id" params={{ id: one.id }} className="trunc font-medium" tabIndex={-1}>
                  {one.title || shell.untitled}
                </Link>
                {one.visibility === "workspace" && (
                  <Users className="!h-3.5 !w-3.5 flex-none text-fg-3" aria-label={talk.share.pill} />
                )}
              </span>
            ),
          },
          {
            head: words.updated,
            right: true,
            cell: (one) => <Time at={one.updated_at} className="text-fg-3" />,
          },
          ...(mayWrite
            ? [
                {
                  head: talk.menu.label,
                  hideHead: true,
                  right: true,
                  cell: (one: Conversation) => (
                    <RowMenu item={one} onPanel={(next) => setPanel({ id: one.id, panel: next })} />
                  ),
                },
              ]
            : []),
        ]}
      />
      {item && panel?.panel === "rename" && <RenameConversation item={item} onClose={close} />}
      {item && panel?.panel === "share" && <ShareChat item={item} onClose={close} />}
      {item && panel?.panel === "export" && <ExportChat item={item} onClose={close} />}
      {item && panel?.panel === "delete" && <DeleteConversation item={item} onClose={close} onDone={close} />}
    </>
  );
}

function RowMenu({ item, onPanel }: { item: Conversation; onPanel: (panel: Panel) => void }) {
  const save = useSaveConversation();
  const archive = useArchive();
  const menu = talk.menu;
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label={talk.search.actions(item.title || shell.untitled)}>
          <Ellipsis aria-hidden="true" />
        </IconButton>
      }
    >
      <MenuItem
        icon={item.pinned ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />}
        onSelect={() =>
          save.mutate(
            { id: item.id, pinned: !item.pinned },
            { onError: (error) => toast.failed(error, common.errors.title) },
          )
        }
      >
        {item.pinned ? talk.search.unpin : talk.search.pin}
      </MenuItem>
      <MenuItem icon={<Pencil aria-hidden="true" />} onSelect={() => onPanel("rename")}>
        {menu.rename}
      </MenuItem>
      <MenuItem icon={<Share2 aria-hidden="true" />} onSelect={() => onPanel("share")}>
        {menu.share}
      </MenuItem>
      <MenuItem icon={<Download aria-hidden="true" />} onSelect={() => onPanel("export")}>
        {menu.export}
      </MenuItem>
      <MenuItem
        icon={item.archived ? <ArchiveRestore aria-hidden="true" /> : <Archive aria-hidden="true" />}
        onSelect={() => archive(item.id, !item.archived)}
      >
        {item.archived ? menu.restore : menu.archive}
      </MenuItem>
      <MenuSeparator />
      <MenuItem bad icon={<Trash2 aria-hidden="true" />} onSelect={() => onPanel("delete")}>
        {menu.delete}
      </MenuItem>
    </Menu>
  );
}
