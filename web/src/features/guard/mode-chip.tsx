import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronDown, Shield } from "lucide-react";
import { guard } from "@/lib/messages/guard";
import { talk } from "@/lib/messages/talk";
import { Popover } from "@/ui/popover";
import { policyQuery } from "./safety/queries";

const words = talk.guard;
const levels = ["public", "restricted", "dangerous"] as const;

/** How carefully agents are watched here; it opens to what happens with which tools. */
export function ModeChip() {
  const policy = useQuery({ ...policyQuery, staleTime: 300_000 }).data;
  if (!policy) return null;
  const mode = words.modes[policy.mode] ?? policy.mode;
  return (
    <Popover
      label={words.title}
      align="start"
      trigger={
        <button type="button" className="chip mode min-w-0" aria-label={words.label(mode)}>
          <Shield aria-hidden="true" />
          <span className="word trunc">{mode}</span>
          <ChevronDown className="word !h-3 !w-3" aria-hidden="true" />
        </button>
      }
    >
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
    </Popover>
  );
}
