import { Link } from "@tanstack/react-router";
import { Check, Clock } from "lucide-react";
import type { ReactNode } from "react";
import type { LiveEvent, Run } from "@/api/types";
import { ApprovalCard } from "@/features/guard/approval-card";
import { useNames } from "@/features/guard/around";
import { inAnHour, tomorrow } from "@/features/inbox/put-away";
import { Question } from "@/features/runs/needs";
import { inbox as words } from "@/lib/messages/inbox";
import { money } from "@/lib/money";
import { ago } from "@/lib/time";
import { Kbd } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Menu, MenuItem } from "@/ui/menu";
import { Empty } from "@/ui/states";
import { useCan } from "../../session";
import type { Box } from "./index";
import { type BudgetFact, budgetLine, type MentionFact } from "./needs";

/** One thing of the inbox in full, with what can be done about it. */
export function Detail({
  onLater,
  ...rest
}: {
  id: string;
  box: Box;
  onDone: () => void;
  /** Absent where it is over already. */
  onLater?: (until: number) => void;
}) {
  return (
    <>
      <Shown {...rest} />
      {rest.id && onLater && <Later onLater={onLater} />}
    </>
  );
}

function Later({ onLater }: { onLater: (until: number) => void }) {
  return (
    <div className="mx-auto mt-3 flex max-w-[720px]">
      <Menu
        align="start"
        trigger={
          <Button look="ghost">
            <Clock aria-hidden="true" />
            {words.later}
            <Kbd>S</Kbd>
          </Button>
        }
      >
        <MenuItem onSelect={() => onLater(inAnHour())}>{words.laterHour}</MenuItem>
        <MenuItem onSelect={() => onLater(tomorrow())}>{words.laterTomorrow}</MenuItem>
      </Menu>
    </div>
  );
}

function Shown({ id, box, onDone }: { id: string; box: Box; onDone: () => void }) {
  const can = useCan();
  const [kind, first = "", second = ""] = id.split(":");
  if (kind === "approval") return <Framed>{<ApprovalCard id={first} keys />}</Framed>;
  if (kind === "question") {
    const asked = box.questions.find(({ need }) => need.run === first && need.call === second);
    if (asked)
      return (
        <Framed>
          <Question need={asked.need} mayAnswer={can("runs:write")} />
          <Chat of={asked.run} />
        </Framed>
      );
  }
  if (kind === "mention") {
    const event = box.mentioned.find((one) => String(one.cursor) === first);
    if (event) return <Mention event={event} onDone={onDone} />;
  }
  if (kind === "failed") {
    const run = box.failures.find((one) => one.id === first);
    if (run) return <Failure run={run} onDone={onDone} />;
  }
  if (kind === "budget") {
    const event = box.budgets.find((one) => String(one.cursor) === first);
    if (event) return <Budget event={event} onDone={onDone} />;
  }
  return <Empty title={words.pick} />;
}

function Framed({ children }: { children: ReactNode }) {
  return <div className="mx-auto flex max-w-[720px] flex-col gap-3">{children}</div>;
}

function Chat({ of }: { of: Run }) {
  return (
    <Link to="/chat/$id" params={{ id: of.conversation }} className="btn self-start">
      {words.openChat}
    </Link>
  );
}

function Done({ onDone }: { onDone: () => void }) {
  return (
    <Button onClick={onDone}>
      <Check aria-hidden="true" />
      {words.markDone}
      <Kbd>E</Kbd>
    </Button>
  );
}

function Mention({ event, onDone }: { event: LiveEvent; onDone: () => void }) {
  const names = useNames();
  const { comment, title } = event.data as MentionFact;
  return (
    <Framed>
      <article className="card flex flex-col gap-2 p-4">
        <h2 className="text-title font-semibold">{words.mentionTitle(names.user(comment.user))}</h2>
        {title && <p className="text-fg-3">{title}</p>}
        <p className="whitespace-pre-wrap break-words">{comment.text}</p>
        <div className="mt-1 flex flex-wrap gap-2">
          <Link to="/chat/$id" params={{ id: comment.conversation }} className="btn solid">
            {words.openChat}
          </Link>
          <Done onDone={onDone} />
        </div>
      </article>
    </Framed>
  );
}

function Failure({ run, onDone }: { run: Run; onDone: () => void }) {
  return (
    <Framed>
      <article className="card flex flex-col gap-2 p-4">
        <h2 className="text-title font-semibold">{run.title || words.failedTitle}</h2>
        <p>{run.error?.message ?? words.failedUnknown}</p>
        {run.error?.hint && <p className="text-fg-3">{run.error.hint}</p>}
        {run.error?.code && <code className="mono text-small text-fg-3">{run.error.code}</code>}
        <div className="mt-1 flex flex-wrap gap-2">
          <Link to="/traces/$run" params={{ run: run.id }} className="btn solid">
            {words.openTrace}
          </Link>
          <Chat of={run} />
          <Done onDone={onDone} />
        </div>
      </article>
    </Framed>
  );
}

function Budget({ event, onDone }: { event: LiveEvent; onDone: () => void }) {
  const can = useCan();
  const fact = event.data as BudgetFact;
  return (
    <Framed>
      <article className="card flex flex-col gap-2 p-4">
        <h2 className="text-title font-semibold">{budgetLine(event).title}</h2>
        {fact.unit !== "requests" && <p>{words.budgetAmount(money(fact.spent), money(fact.limit))}</p>}
        {fact.resets_at && <p className="text-fg-3">{words.budgetResets(ago(fact.resets_at))}</p>}
        <div className="mt-1 flex flex-wrap gap-2">
          {can("costs:read") && (
            <Link to="/costs/budgets" className="btn">
              {words.openCosts}
            </Link>
          )}
          <Done onDone={onDone} />
        </div>
      </article>
    </Framed>
  );
}
