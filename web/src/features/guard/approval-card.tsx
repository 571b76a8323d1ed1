import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { Check, Clock, Hand, Hourglass, ShieldAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import { guard } from "@/lib/messages/guard";
import { Pill, Time } from "@/ui/bits";
import { View } from "@/ui/states";
import { Answers } from "./answers";
import { useNames } from "./around";
import { left, useNow } from "./countdown";
import { Go } from "./go";
import { Arguments, JudgedCommand } from "./marked";
import { outcomeOf } from "./outcome";
import { Overdraft } from "./overdraft";
import { type Approval, approvalQuery } from "./queries";
import "./guard.css";

const words = guard.card;

/** A question about one call, with everything needed to answer it, and afterwards who answered what. */
export function ApprovalCard({
  id,
  compact,
  keys,
}: {
  id: string;
  compact?: boolean;
  /** The page answers A, D and R, so the buttons say so. */
  keys?: boolean;
}) {
  const query = useQuery(approvalQuery(id));
  return (
    <View query={query} rows={3}>
      {(approval) => <Card approval={approval} compact={!!compact} keys={!!keys} />}
    </View>
  );
}

function Card({ approval, compact, keys }: { approval: Approval; compact: boolean; keys: boolean }) {
  const now = useNow(approval.state === "asked");
  const late = approval.state === "asked" && Date.parse(approval.deadline) <= now;
  const shown = late ? { ...approval, state: "expired" } : approval;
  const open = shown.state === "asked";
  const title = titleOf(shown);
  return (
    <article className={clsx("approval", !open && "over")} aria-label={title} data-approval={approval.id}>
      <header>
        {open ? <Hand aria-hidden="true" /> : <StateIcon state={shown.state} />}
        <h2>{title}</h2>
        {open && approval.severity === "critical" && (
          <Pill tone="bad">
            <ShieldAlert aria-hidden="true" />
            {words.critical}
          </Pill>
        )}
        {open && (
          <Pill tone="warn">
            <Clock aria-hidden="true" />
            <span role="timer" className="num">
              {words.left(left(approval.deadline, now))}
            </span>
          </Pill>
        )}
      </header>
      <Asked approval={approval} />
      {compact ? <Short approval={approval} /> : <Facts approval={approval} />}
      {!open && <Outcome approval={shown} />}
      <Answers approval={shown} open={open} keys={keys} />
    </article>
  );
}

/** The exact thing that is asked about. */
function Asked({ approval }: { approval: Approval }) {
  if (approval.kind === "budget") return <Overdraft approval={approval} />;
  if (approval.command) return <JudgedCommand text={approval.command} dir={approval.dir ?? ""} />;
  return <Arguments text={approval.args} />;
}

function titleOf({ state, kind, command, tool }: Approval): string {
  if (kind === "budget") return state === "asked" ? words.budget : words.budgetOver;
  if (state === "asked") return command ? words.command : words.call(tool);
  return command ? words.commandOver : words.callOver(tool);
}

export function StateIcon({ state }: { state: string }) {
  if (state === "approved" || state === "used") return <Check className="text-ok" aria-hidden="true" />;
  if (state === "denied") return <X className="text-bad" aria-hidden="true" />;
  return <Hourglass className="text-fg-3" aria-hidden="true" />;
}

/** Rule and consequence in one line, for the middle of a chat. */
function Short({ approval }: { approval: Approval }) {
  return (
    <p className="text-small text-fg-2">
      {words.facts.rule} <code className="mono">{approval.rule}</code>
      {" · "}
      {approval.reason}
      {approval.alternative && ` ${words.safer(approval.alternative)}`}
    </p>
  );
}

function Facts({ approval }: { approval: Approval }) {
  const names = useNames();
  const facts = words.facts;
  const by = names.user(approval.requested_by);
  const rows: [string, ReactNode][] = [
    [facts.what, approval.reason],
    [facts.safer, approval.alternative && <code className="mono">{approval.alternative}</code>],
    [facts.rule, <code key="rule" className="mono">{`${approval.rule}`}</code>],
    [facts.where, approval.dir && <code className="mono">{approval.dir}</code>],
    [
      facts.who,
      approval.agent && (by ? words.agentFor(names.agent(approval.agent), by) : names.agent(approval.agent)),
    ],
    [facts.code, approval.state === "asked" && <code className="mono">{approval.code}</code>],
    [facts.asked, <Time key="asked" at={approval.asked_at} />],
  ];
  return (
    <dl>
      {rows.map(
        ([label, value]) =>
          value && (
            <div key={label} className="contents">
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
      {approval.conversation && (
        <div className="contents">
          <dt>{facts.chat}</dt>
          <dd>
            <Go href={`/chat/${approval.conversation}`} className="link">
              {words.openChat}
            </Go>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Who answered what, and what became of it. */
function Outcome({ approval }: { approval: Approval }) {
  const names = useNames();
  return (
    <p className="text-fg-2" role="status">
      {outcomeOf(approval, names.user)}
    </p>
  );
}
