import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { pendingQuery } from "@/features/guard/queries";
import { Allowed } from "@/features/guard/safety/allowed";
import { Audit, ExportMenu } from "@/features/guard/safety/audit";
import { PolicyPage } from "@/features/guard/safety/policy";
import type { CallFilter } from "@/features/guard/safety/queries";
import { Rules } from "@/features/guard/safety/rules";
import { Snapshots } from "@/features/guard/safety/snapshots";
import { harmless, Tester } from "@/features/guard/safety/tester";
import { Waiting } from "@/features/guard/safety/waiting";
import { count } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { guard } from "@/lib/messages/guard";
import { PageBody, TopBar } from "@/ui/page";
import { Empty } from "@/ui/states";
import { GuardAround } from "../../guard-around";
import { useCan } from "../../session";
import "@/features/guard/guard.css";

const tabs = ["waiting", "rules", "allowed", "test", "policy", "audit", "snapshots"] as const;
type Tab = (typeof tabs)[number];

/** What agents may do, what they asked, what they did, and how it is undone. */
export default function SafetyRoute() {
  const { tab = "waiting" } = useParams({ strict: false });
  const search = useSearch({ strict: false }) as Search;
  const { call: _, command: __, folder: ___, q: ____, ...filter } = search;
  return (
    <GuardAround>
      <TopBar title={guard.title} after={<TabList tab={tab} className="ml-1 max-lg:hidden" />}>
        {tab === "audit" && <ExportMenu filter={filter} />}
      </TopBar>
      <TabList tab={tab} className="flex-none overflow-x-auto border-b border-line px-4 py-2 lg:hidden" />
      <Shown tab={tab} search={search} filter={filter} />
    </GuardAround>
  );
}

type Search = CallFilter & { call?: string; command?: string; folder?: string; q?: string };

function TabList({ tab, className }: { tab: string; className: string }) {
  const can = useCan();
  const pending = useQuery(pendingQuery).data?.data.length ?? 0;
  const shown = tabs.filter((one) => one !== "snapshots" || can("projects:read"));
  const bar = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: keeps the chosen tab in sight when it changes
  useEffect(() => {
    bar.current
      ?.querySelector("[aria-current=page]")
      ?.scrollIntoView?.({ block: "nearest", inline: "center" });
  }, [tab]);
  return (
    <nav ref={bar} className={className} aria-label={guard.tabs.label}>
      <span className="seg">
        {shown.map((one) => (
          <Link
            key={one}
            {...(one === "waiting" ? { to: "/safety" } : { to: "/safety/$tab", params: { tab: one } })}
            activeOptions={{ exact: true, includeSearch: false }}
            activeProps={{ "aria-current": "page" }}
          >
            {guard.tabs[one]}
            {one === "waiting" && pending > 0 && <span className="badge warn">{count(pending)}</span>}
          </Link>
        ))}
      </span>
    </nav>
  );
}

function Shown({ tab, search, filter }: { tab: string; search: Search; filter: CallFilter }) {
  const navigate = useNavigate();
  const show = (of: Tab, next: Search) =>
    void navigate({
      to: "/safety/$tab",
      params: { tab: of },
      search: Object.fromEntries(Object.entries(next).filter(([, value]) => value)),
      replace: true,
    });
  switch (tab as Tab) {
    case "waiting":
      return (
        <PageBody narrow>
          <Waiting />
        </PageBody>
      );
    case "rules":
      return (
        <PageBody>
          <Rules q={search.q ?? ""} onSearch={(q) => show("rules", { q })} />
        </PageBody>
      );
    case "allowed":
      return (
        <PageBody>
          <Allowed />
        </PageBody>
      );
    case "test":
      return (
        <PageBody narrow>
          <Tester
            command={search.command ?? harmless}
            folder={search.folder ?? ""}
            onChange={(next) => show("test", next)}
          />
        </PageBody>
      );
    case "policy":
      return (
        <PageBody>
          <PolicyPage />
        </PageBody>
      );
    case "audit":
      return (
        <Audit
          filter={filter}
          open={search.call ?? ""}
          onFilter={(next) => show("audit", next)}
          onOpen={(call) => show("audit", { ...filter, call })}
        />
      );
    case "snapshots":
      return (
        <PageBody>
          <Snapshots run={filter.run ?? ""} onRun={(run) => show("snapshots", { run })} />
        </PageBody>
      );
    default:
      return <Empty title={common.errors.notFound} body={common.errors.notFoundHint} />;
  }
}
