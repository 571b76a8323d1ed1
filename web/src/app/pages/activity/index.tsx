import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ban, Check, Hand, type LucideIcon, Play, X } from "lucide-react";
import { useNames } from "@/features/guard/around";
import { recentApprovalsQuery } from "@/features/guard/safety/queries";
import { recentRunsQuery } from "@/features/runs/queries";
import { overview } from "@/lib/messages/overview";
import { clockTime } from "@/lib/time";
import { Time } from "@/ui/bits";
import { Empty, View } from "@/ui/states";
import { GuardAround } from "../../guard-around";
import { useCan } from "../../session";
import { activityOf, type Deed } from "./group";
import "../overview/overview.css";

const words = overview.activity;

const looks: Record<Deed["kind"], { icon: LucideIcon; tone: string }> = {
  finished: { icon: Check, tone: "text-ok" },
  failed: { icon: X, tone: "text-bad" },
  cancelled: { icon: Ban, tone: "text-fg-3" },
  started: { icon: Play, tone: "text-accent" },
  approved: { icon: Hand, tone: "text-ok" },
  denied: { icon: Hand, tone: "text-bad" },
};

/** What happened lately, by the hour. */
export function Feed({ most }: { most?: number }) {
  return (
    <GuardAround>
      <List most={most ?? Number.POSITIVE_INFINITY} />
    </GuardAround>
  );
}

function List({ most }: { most: number }) {
  const can = useCan();
  const runs = useQuery(recentRunsQuery);
  const approvals = useQuery({ ...recentApprovalsQuery, enabled: can("guard:read") });
  return (
    <View
      query={runs}
      isEmpty={(page) => page.data.length === 0}
      empty={<Empty title={words.empty} body={words.emptyBody} />}
    >
      {(page) => {
        let left = most;
        return (
          <ul className="feed">
            {activityOf(page.data, approvals.data ?? []).map((hour) => {
              const shown = hour.deeds.slice(0, Math.max(0, left));
              left -= shown.length;
              if (shown.length === 0) return null;
              return (
                <li key={hour.at}>
                  <p className="hour">
                    <Time at={hour.at} />
                  </p>
                  <ul className="pb-1">
                    {shown.map((deed) => (
                      <Row key={deed.id} deed={deed} />
                    ))}
                  </ul>
                </li>
              );
            })}
          </ul>
        );
      }}
    </View>
  );
}

function Row({ deed }: { deed: Deed }) {
  const names = useNames();
  const { icon: Icon, tone } = looks[deed.kind];
  const person = deed.kind === "approved" || deed.kind === "denied";
  const who = person ? names.user(deed.who) || words.somebody : names.agent(deed.who);
  const inside = (
    <>
      <Icon className={`!h-3.5 !w-3.5 flex-none ${tone}`} aria-hidden="true" />
      <span className="trunc min-w-0 flex-1">
        {words.did[deed.kind](who, deed.n)}
        {deed.n === 1 && <span className="text-fg-3"> {deed.what}</span>}
      </span>
      <span className="num text-small text-fg-3">{clockTime(deed.at)}</span>
    </>
  );
  const look = "flex min-h-8 items-center gap-3 px-4 py-1 hover:bg-hover max-sm:min-h-11";
  return (
    <li>
      {person ? (
        <Link to="/safety/$tab" params={{ tab: "audit" }} search={{}} className={look}>
          {inside}
        </Link>
      ) : deed.n === 1 && deed.run ? (
        <Link to="/traces/$run" params={{ run: deed.run }} className={look}>
          {inside}
        </Link>
      ) : (
        <Link
          to="/traces"
          search={{ agent: deed.who, ...(deed.kind === "failed" ? { state: "failed" as const } : {}) }}
          className={look}
        >
          {inside}
        </Link>
      )}
    </li>
  );
}
