import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useRouter, useRouterState } from "@tanstack/react-router";
import {
  Activity,
  Blocks,
  Bot,
  Brain,
  ChevronDown,
  CircleDollarSign,
  House,
  Inbox,
  type LucideIcon,
  MessageSquare,
  Plug,
  Plus,
  Search,
  Settings,
  Shield,
} from "lucide-react";
import { type ComponentProps, Fragment, type MouseEvent, memo, type ReactElement } from "react";
import { conversationsQuery } from "@/features/conversations/queries";
import { recentRunsQuery } from "@/features/runs/queries";
import { isActive } from "@/features/runs/stream";
import { shell } from "@/lib/messages/shell";
import { onDemand } from "@/lib/on-demand";
import { useLiveState } from "@/live/react";
import { Dot, Kbd, Mark } from "@/ui/bits";
import { Menu, MenuChoices, MenuItem, MenuLabel, MenuSeparator } from "@/ui/menu";
import { Tip } from "@/ui/tooltip";
import { keyText } from "./keys";
import { Later } from "./later";
import { useCan, useMe, useSwitchWorkspace } from "./session";
import { useShell } from "./store";
import { UserMenu } from "./user-menu";

const SpentToday = onDemand(() => import("./spent-today"), "default");
const InboxBadge = onDemand(() => import("./inbox-badge"), "default");

/** The pages of the main menu that a person may see, in order. */
export function usePages() {
  const can = useCan();
  return pages.filter((page) => !page.needs || can(page.needs));
}

type Page = {
  to:
    | "/"
    | "/inbox"
    | "/chat"
    | "/traces"
    | "/costs"
    | "/memory"
    | "/safety"
    | "/agents"
    | "/tools"
    | "/plugins"
    | "/settings";
  label: string;
  icon: LucideIcon;
  exact?: boolean;
  /** The permission without which the page is not shown. */
  needs?: string;
  /** The first of a group. */
  first?: boolean;
  /** Says how many things wait there. */
  Badge?: typeof InboxBadge;
  /** On a phone it has a place in the bar; the others are under More. */
  tab?: boolean;
};

/** The pages of the main menu, in order. */
const pages: readonly Page[] = [
  { to: "/", label: shell.nav.overview, icon: House, exact: true, tab: true },
  { to: "/inbox", label: shell.nav.inbox, icon: Inbox, Badge: InboxBadge, tab: true },
  { to: "/chat", label: shell.nav.chat, icon: MessageSquare, tab: true },
  { to: "/traces", label: shell.nav.traces, icon: Activity, needs: "runs:read", first: true },
  { to: "/costs", label: shell.nav.costs, icon: CircleDollarSign, needs: "costs:read", tab: true },
  { to: "/memory", label: shell.nav.memory, icon: Brain, needs: "memory:read" },
  { to: "/safety", label: shell.nav.safety, icon: Shield, needs: "guard:read" },
  { to: "/agents", label: shell.nav.agents, icon: Bot, needs: "agents:read", first: true },
  { to: "/tools", label: shell.nav.tools, icon: Plug, needs: "tools:read" },
  { to: "/plugins", label: shell.nav.plugins, icon: Blocks, needs: "plugins:read" },
  { to: "/settings", label: shell.nav.settings, icon: Settings },
];

export function Sidebar({ rail }: { rail: boolean }) {
  const set = useShell((state) => state.set);
  return (
    <nav className="side" aria-label={shell.mainNav}>
      <WorkspaceMenu rail={rail} />
      <Named rail={rail} text={shell.search} keys={keyText("palette")}>
        <button
          type="button"
          className="cmd"
          aria-label={rail ? shell.search : undefined}
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => set({ palette: "" })}
        >
          <Search aria-hidden="true" />
          {!rail && (
            <>
              <span className="flex-1">{shell.search}</span>
              <Kbd>{keyText("palette")}</Kbd>
            </>
          )}
        </button>
      </Named>
      <Pages rail={rail} />
      {!rail && <Recent />}
      <div className="sidefoot">
        <div className="flex items-center justify-between">
          <Connection rail={rail} />
          {!rail && (
            <Later>
              <SpentToday />
            </Later>
          )}
        </div>
        <UserMenu rail={rail} />
      </div>
    </nav>
  );
}

/** The links of the main menu. They are many, so they are plain ones with one watcher of the address for all. */
const Pages = memo(function Pages({ rail }: { rail: boolean }) {
  const router = useRouter();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const follow = (event: MouseEvent, to: Page["to"]) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ to });
  };
  return usePages().map(({ to, label, icon: Icon, exact, first, Badge }) => (
    <Fragment key={to}>
      {first && <div className="hr mx-1.5 my-2 self-stretch" />}
      <Named rail={rail} text={label}>
        <a
          href={to}
          className="nav"
          aria-label={rail || !Badge ? label : undefined}
          aria-current={path === to || (!exact && path.startsWith(`${to}/`)) ? "page" : undefined}
          onPointerEnter={() => void router.preloadRoute({ to })}
          onClick={(event) => follow(event, to)}
        >
          <Icon aria-hidden="true" />
          {!rail && label}
          {Badge && (
            <Later>
              <Badge />
            </Later>
          )}
        </a>
      </Named>
    </Fragment>
  ));
});

function Named({
  rail,
  text,
  keys,
  children,
}: {
  rail: boolean;
  text: string;
  keys?: string;
  children: ReactElement<ComponentProps<"button">>;
}) {
  if (!rail) return children;
  return (
    <Tip text={text} keys={keys} side="right">
      {children}
    </Tip>
  );
}

function WorkspaceMenu({ rail }: { rail: boolean }) {
  const me = useMe();
  const can = useCan();
  const navigate = useNavigate();
  const change = useSwitchWorkspace();
  return (
    <Menu
      trigger={
        <button type="button" className="ws" aria-label={shell.workspace.menu(me.workspace.name)}>
          <Mark />
          {!rail && (
            <>
              <span className="trunc font-semibold tracking-tight">{me.workspace.name}</span>
              <ChevronDown className="!h-3 !w-3" aria-hidden="true" />
            </>
          )}
        </button>
      }
    >
      <MenuLabel>{shell.workspace.label}</MenuLabel>
      <MenuChoices
        value={me.workspace.id}
        onChange={(id) => id !== me.workspace.id && change(id)}
        options={me.workspaces.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {can("workspaces:read") && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => void navigate({ to: "/settings/$page", params: { page: "workspaces" } })}>
            {shell.workspace.manage}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

const shown = 6;

/** The newest chats; a pulsing dot marks the ones with an answer on its way. */
function Recent() {
  const can = useCan();
  const chats = useInfiniteQuery(conversationsQuery());
  const runs = useQuery(recentRunsQuery);
  const working = new Set(runs.data?.data.filter(isActive).map((run) => run.conversation));
  const list = chats.data?.pages[0]?.data ?? [];
  return (
    <>
      <div className="sec">
        <span>{shell.recent}</span>
        {can("conversations:write") && (
          <Tip text={shell.newChat} keys={keyText("new-chat")}>
            <Link to="/chat" className="btn ghost icon !h-6 !w-6" aria-label={shell.newChat}>
              <Plus aria-hidden="true" />
            </Link>
          </Tip>
        )}
      </div>
      <ul className="flex min-h-0 flex-col gap-px overflow-y-auto" aria-label={shell.recent}>
        {list.slice(0, shown).map((chat) => (
          <li key={chat.id} className="flex flex-none flex-col">
            <Link
              to="/chat/$id"
              params={{ id: chat.id }}
              className="nav"
              activeProps={{ "aria-current": "page" }}
              title={chat.title}
            >
              <span className="grid w-4 flex-none place-items-center">
                <Dot tone={working.has(chat.id) ? "run" : undefined} live={working.has(chat.id)} />
              </span>
              <span className="trunc">{chat.title || shell.untitled}</span>
              {working.has(chat.id) && <span className="sr-only">({shell.working})</span>}
            </Link>
          </li>
        ))}
        {chats.data && list.length === 0 && <li className="px-2 text-small text-fg-3">{shell.noChats}</li>}
        {list.length > shown && (
          <li className="flex flex-none flex-col">
            <Link to="/chat/all" className="nav text-small">
              <span className="w-4" />
              {shell.allChats}
            </Link>
          </li>
        )}
      </ul>
    </>
  );
}

/** The state of the one live connection, in words. */
export function Connection({ rail }: { rail: boolean }) {
  const [live] = useLiveState();
  const words = shell.live;
  const text =
    live.phase === "open"
      ? live.latency === undefined
        ? words.connected
        : words.connectedMs(live.latency)
      : live.lostAt === undefined
        ? words.connecting
        : words.lost;
  return (
    <Named rail={rail} text={text}>
      <Link
        to="/settings/$page"
        params={{ page: "health" }}
        className="health num min-w-0 whitespace-nowrap"
        aria-label={`${text}. ${shell.live.details}`}
      >
        <Dot tone={live.phase === "open" ? "ok" : "warn"} />
        {!rail && text}
      </Link>
    </Named>
  );
}
