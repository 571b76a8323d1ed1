import { useQuery } from "@tanstack/react-query";
import { StateIcon } from "./approval-card";
import { useNames } from "./around";
import { outcomeOf, whatOf } from "./outcome";
import { recentApprovalsQuery } from "./safety/queries";

/** What people said to the questions of a run, once they are answered. */
export function AnsweredOf({ run }: { run: string }) {
  const { data } = useQuery(recentApprovalsQuery);
  const names = useNames();
  const answered = data?.filter((approval) => approval.run === run) ?? [];
  return answered.map((approval) => (
    <p key={approval.id} className="flex items-center gap-2 px-2.5 text-small text-fg-2">
      <StateIcon state={approval.state} />
      <code className="mono trunc min-w-0 max-w-[50%]">{whatOf(approval)}</code>
      <span className="min-w-0">{outcomeOf(approval, names.user)}</span>
    </p>
  ));
}
