import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import clsx from "clsx";
import { ArrowLeft, Inbox } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useNames } from "@/features/guard/around";
import { pressApprovalKey } from "@/features/guard/keys";
import { pendingQuery } from "@/features/guard/queries";
import { recentApprovalsQuery } from "@/features/guard/safety/queries";
import { InboxList, type Line } from "@/features/inbox/list";
import { inAnHour, putAway, putOff, readPutAway, readPutOff } from "@/features/inbox/put-away";
import { failedRunsQuery, noticesQuery, usePutAway, waitingRunsQuery } from "@/features/inbox/queries";
import { recentRunsQuery } from "@/features/runs/queries";
import { isActive } from "@/features/runs/stream";
import { count } from "@/lib/format";
import { inbox as words } from "@/lib/messages/inbox";
import { dayAndTime } from "@/lib/time";
import { IconButton } from "@/ui/button";
import { TopBar } from "@/ui/page";
import { Empty, Problem, Skeleton, Stale } from "@/ui/states";
import { toast } from "@/ui/toast";
import { GuardAround } from "../../guard-around";
import { isTyping } from "../../keys";
import { useCan } from "../../session";
import { useShell } from "../../store";
import { Feed } from "../activity";
import { Detail } from "./detail";
import {
  answeredLine,
  approvalLine,
  awake,
  budgetLine,
  budgetNotices,
  failureLine,
  failuresOf,
  joined,
  mentionLine,
  mentionsOf,
  newestFirst,
  questionLine,
} from "./needs";
import { questionsOf } from "./questions";
import "@/features/inbox/inbox.css";

const tabs = ["needs", "mentions", "alerts", "activity", "done"] as const;
type Tab = (typeof tabs)[number];

const nothing = { lines: [], pending: false, known: true, error: undefined, retry: () => undefined };

/** What needs this person: approvals, questions, failures and budgets. */
export default function InboxRoute() {
  return (
    <GuardAround>
      <Page />
    </GuardAround>
  );
}

function Page() {
  const search = useSearch({ strict: false });
  const tab: Tab = tabs.find((one) => one === search.tab) ?? "needs";
  const navigate = useNavigate();
  const box = useInbox();
  const { lines, pending, known, error, retry } = tab === "activity" ? nothing : box[tab];
  const opened = search.item ?? "";
  const chosen = opened || (lines[0]?.id ?? "");
  const choose = (item: string) =>
    void navigate({
      to: "/inbox",
      search: { ...(tab === "needs" ? {} : { tab }), ...(item ? { item } : {}) },
      replace: opened !== "" && item !== "",
    });
  const leave = (line: string) => {
    const at = lines.findIndex((one) => one.id === line);
    choose(lines[at + 1]?.id ?? lines[at - 1]?.id ?? "");
  };
  const done = (line: string) => {
    if (box.putAway(line)) leave(line);
  };
  const later = (line: string, until = inAnHour()) => {
    if (tab === "done" || !lines.some((one) => one.id === line)) return;
    box.putOff(line, until);
    leave(line);
    toast.done(words.putOff(dayAndTime(until)), words.putOffBody, {
      label: words.undo,
      run: () => box.putOff(line),
    });
  };
  useInboxKeys(lines, chosen, choose, done, later);
  const counts = {
    needs: box.needs.lines.length,
    mentions: box.mentions.lines.length,
    alerts: box.alerts.lines.length,
    activity: 0,
    done: 0,
  };
  return (
    <>
      <TopBar
        title={words.title}
        before={
          opened && (
            <span className="md:hidden">
              <IconButton label={words.back} onClick={() => choose("")}>
                <ArrowLeft aria-hidden="true" />
              </IconButton>
            </span>
          )
        }
        after={<TabList tab={tab} counts={counts} />}
      >
        <span className="text-small text-fg-3 max-lg:hidden">{words.keys}</span>
      </TopBar>
      {tab === "activity" ? (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <div className="mx-auto max-w-[860px] py-2">
            <Feed />
          </div>
        </div>
      ) : lines.length === 0 && !opened ? (
        <Nothing tab={tab} pending={pending} error={error} known={known} retry={retry} />
      ) : (
        <>
          {error != null && <Stale retry={retry} />}
          <div className={clsx("inbox", opened && "open")}>
            <div className="left">
              <InboxList lines={lines} chosen={chosen} onChoose={choose} />
            </div>
            <section className="right" aria-label={words.detail}>
              <Detail
                key={chosen}
                id={chosen}
                box={box}
                onDone={() => done(chosen)}
                onLater={tab === "done" ? undefined : (until) => later(chosen, until)}
              />
            </section>
          </div>
        </>
      )}
    </>
  );
}

function TabList({ tab, counts }: { tab: Tab; counts: Record<Tab, number> }) {
  return (
    <nav aria-label={words.tabs.label}>
      <span className="seg">
        {tabs.map((one) => (
          <Link
            key={one}
            to="/inbox"
            search={one === "needs" ? {} : { tab: one }}
            activeOptions={{ exact: true }}
            activeProps={{}}
            aria-current={one === tab ? "page" : undefined}
          >
            {words.tabs[one]}
            {counts[one] > 0 && (
              <span className={one === "needs" ? "badge warn" : "badge"}>{count(counts[one])}</span>
            )}
          </Link>
        ))}
      </span>
    </nav>
  );
}

function Nothing({
  tab,
  pending,
  error,
  known,
  retry,
}: {
  tab: Exclude<Tab, "activity">;
  pending: boolean;
  error: unknown;
  /** It was read before, so that there is something to say even now. */
  known: boolean;
  retry: () => void;
}) {
  const runs = useQuery(recentRunsQuery);
  if (error && !known) return <Problem error={error} retry={retry} />;
  if (pending) return <Skeleton rows={5} height={36} />;
  const working = runs.data?.data.filter(isActive).length ?? 0;
  const body = {
    needs: words.empty.needsBody(working),
    mentions: words.empty.mentionsBody,
    alerts: words.empty.alertsBody,
    done: words.empty.doneBody,
  };
  return (
    <>
      {error != null && <Stale retry={retry} />}
      <Empty icon={<Inbox aria-hidden="true" />} title={words.empty[tab]} body={body[tab]}>
        <Link to="/chat" className="btn">
          {words.empty.toChat}
        </Link>
      </Empty>
    </>
  );
}

/** What is in the inbox, by tab. */
export function useInbox() {
  const can = useCan();
  const names = useNames();
  const approvals = useQuery({ ...pendingQuery, enabled: can("guard:read") });
  const answered = useQuery({ ...recentApprovalsQuery, enabled: can("guard:read") });
  const waiting = useQuery(waitingRunsQuery);
  const recent = useQuery(recentRunsQuery);
  const failed = useQuery(failedRunsQuery);
  const notices = useQuery({ ...noticesQuery, enabled: can("events:read") });
  const [away, setAway] = useState(readPutAway);
  const [off, setOff] = useState(() => readPutOff());
  const acknowledge = usePutAway();
  useEffect(() => {
    const next = Math.min(...Object.values(off)) - Date.now();
    if (!Number.isFinite(next)) return;
    const timer = setTimeout(() => setOff(readPutOff()), next + 50);
    return () => clearTimeout(timer);
  }, [off]);

  const runs = joined(recent.data?.data ?? [], waiting.data?.data ?? []);
  const questions = questionsOf(runs);
  const failures = failuresOf(failed.data?.data ?? [], recent.data?.data ?? [], away);
  const budgets = budgetNotices(notices.data?.data ?? []);
  const mentions = mentionsOf(notices.data?.data ?? []);
  const shown = (lines: Line[]) => awake(newestFirst(lines), off);
  const state = (
    ...queries: {
      data: unknown;
      isPending: boolean;
      isFetching: boolean;
      error: unknown;
      refetch: () => unknown;
    }[]
  ) => ({
    known: queries.every((query) => query.data !== undefined),
    pending: queries.some((query) => query.isPending && query.isFetching),
    error: queries.find((query) => query.error)?.error,
    retry: () => {
      for (const query of queries) void query.refetch();
    },
  });
  return {
    questions,
    failures,
    budgets,
    mentioned: mentions,
    needs: {
      lines: shown([
        ...(approvals.data?.data ?? []).map((one) => approvalLine(one, names)),
        ...questions.map((one) => questionLine(one, names)),
      ]),
      ...state(approvals, waiting),
    },
    mentions: { lines: shown(mentions.map((one) => mentionLine(one, names))), ...state(notices) },
    alerts: {
      lines: shown([...failures.map((one) => failureLine(one, names)), ...budgets.map(budgetLine)]),
      ...state(failed, notices),
    },
    done: { lines: (answered.data ?? []).map((one) => answeredLine(one, names)), ...state(answered) },
    /** True when it was something that can be put away. */
    putAway: (line: string): boolean => {
      const [kind, id = ""] = line.split(":");
      if (kind === "failed") setAway(putAway(id));
      else if (kind === "budget" || kind === "mention") acknowledge.mutate(Number(id));
      else return false;
      return true;
    },
    /** Without a time it is there again. */
    putOff: (line: string, until?: number) => setOff(putOff(line, until)),
  };
}

export type Box = ReturnType<typeof useInbox>;

/** A, D, R answer the approval that is shown; E puts away; S puts off; J, K and the arrows move. */
function useInboxKeys(
  lines: readonly Line[],
  chosen: string,
  choose: (id: string) => void,
  done: (id: string) => void,
  later: (id: string) => void,
) {
  const press = (event: KeyboardEvent) => {
    const busy = document.querySelector("[role=dialog], [role=menu]") !== null;
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || busy) return;
    if (isTyping(event.target) || !useShell.getState().shortcuts) return;
    const key = event.key.toLowerCase();
    const at = lines.findIndex((line) => line.id === chosen);
    const step = { j: 1, arrowdown: 1, k: -1, arrowup: -1 }[key];
    const [kind, id = ""] = chosen.split(":");
    if (step) {
      const next = lines[Math.min(Math.max(at + step, 0), lines.length - 1)];
      if (next) choose(next.id);
    } else if (key === "e") done(chosen);
    else if (key === "s") later(chosen);
    else if (kind !== "approval" || (key !== "a" && key !== "d" && key !== "r") || !pressApprovalKey(id, key))
      return;
    event.preventDefault();
  };
  const latest = useRef(press);
  useEffect(() => {
    latest.current = press;
  });
  useEffect(() => {
    const on = (event: KeyboardEvent) => latest.current(event);
    window.addEventListener("keydown", on);
    return () => window.removeEventListener("keydown", on);
  }, []);
}
