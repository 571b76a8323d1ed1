import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Shield } from "lucide-react";
import { talk } from "@/lib/messages/talk";
import { onDemand } from "@/lib/on-demand";
import { Chip } from "@/ui/chip";
import { policyQuery } from "./queries";

const ModeFacts = onDemand(() => import("./mode-facts"), "default");

const words = talk.guard;

/** How carefully agents are watched here; it opens to what happens with which tools. */
export function ModeChip() {
  const policy = useQuery({ ...policyQuery, staleTime: 300_000 }).data;
  if (!policy) return null;
  const mode = words.modes[policy.mode] ?? policy.mode;
  return (
    <Chip
      look="mode min-w-0"
      label={words.label(mode)}
      title={words.title}
      align="start"
      face={
        <>
          <Shield aria-hidden="true" />
          <span className="word trunc">{mode}</span>
          <ChevronDown className="word !h-3 !w-3" aria-hidden="true" />
        </>
      }
    >
      <ModeFacts policy={policy} />
    </Chip>
  );
}
