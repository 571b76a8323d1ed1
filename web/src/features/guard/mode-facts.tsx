import { Link } from "@tanstack/react-router";
import type { components } from "@/api/schema";
import { guard } from "@/lib/messages/guard";
import { talk } from "@/lib/messages/talk";

const words = talk.guard;
const levels = ["public", "restricted", "dangerous"] as const;

/** What happens with which tools. */
export default function ModeFacts({ policy }: { policy: components["schemas"]["GuardPolicy"] }) {
  return (
    <>
      <h3 className="text-title font-semibold">{words.title}</h3>
      <p className="text-fg-2">{guard.policy.modeHelp[policy.mode]}</p>
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
        {levels.map((level) => (
          <div key={level} className="contents">
            <dt className="text-fg-2" title={guard.policy.levelHelp[level]}>
              {guard.policy.level[level]}
            </dt>
            <dd className="text-right">
              {guard.actions[policy.levels[level] as keyof typeof guard.actions] ?? policy.levels[level]}
            </dd>
          </div>
        ))}
      </dl>
      <Link to="/safety/$tab" params={{ tab: "policy" }} className="link self-start">
        {words.policy}
      </Link>
    </>
  );
}
