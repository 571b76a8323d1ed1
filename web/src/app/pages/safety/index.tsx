import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { pendingQuery } from "@/features/guard/queries";
import { Allowed } from "@/features/guard/safety/allowed";
import { Audit, ExportMenu } from "@/features/guard/safety/audit";
import { PolicyPage } from "@/features/guard/safety/policy";
import type { CallFilter } from "@/features/guard/safety/queries";
import { Rules } from "@/features/guard/safety/rules";
import { Snapshots } from "@/features/guard/safety/snapshots";
import { harmless, Tester } from "@/features/guard/safety/tester";
import { Waiting } from "@/features/guard/safety/waiting";
import { common } from "@/lib/messages/common";
import { guard } from "@/lib/messages/guard";
import { PageBody } from "@/ui/page";
import { Empty } from "@/ui/states";
import { GuardAround } from "../../guard-around";
import { type PageTab, TabbedBar } from "../../page-tabs";
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
      <TabbedBar title={guard.title} label={guard.tabs.label} tabs={useTabs()}>
        {tab === "audit" && <ExportMenu filter={filter} />}
      </TabbedBar>
      <Shown tab={tab} search={search} filter={filter} />
    </GuardAround>
  );
}

type Search = CallFilter & { call?: string; command?: string; folder?: string; q?: string };

function useTabs(): PageTab[] {
  const can = useCan();
  const waiting = useQuery(pendingQuery).data?.data.length ?? 0;
  return tabs
    .filter((one) => one !== "snapshots" || can("projects:read"))
    .map((one) =>
      one === "waiting"
        ? { to: "/safety", label: guard.tabs[one], waiting }
        : { to: "/safety/$tab", params: { tab: one }, label: guard.tabs[one] },
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
