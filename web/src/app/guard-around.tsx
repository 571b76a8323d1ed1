import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { agentsQuery } from "@/features/agents/queries";
import { AnsweredOf } from "@/features/guard/answered";
import { ApprovalCard } from "@/features/guard/approval-card";
import { type Around, Surroundings } from "@/features/guard/around";
import { usersQuery } from "@/features/identity/queries";
import { useCan, useMe } from "./session";

/** Tells the parts of safety who is here and what people and agents are called. */
export function GuardAround({ children }: { children: ReactNode }) {
  const router = useRouter();
  const can = useCan();
  const me = useMe();
  const agents = useQuery({ ...agentsQuery, enabled: can("agents:read") });
  const users = useQuery({ ...usersQuery, enabled: can("users:read") });
  const rights = me.permissions.join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: `rights` stands for what may be done
  const around = useMemo(
    (): Around => ({
      go: (href) => void router.navigate({ href }),
      me: me.user.id,
      users: {
        ...Object.fromEntries((users.data?.data ?? []).map((one) => [one.id, one.name || one.user])),
        [me.user.id]: me.user.name || me.user.user,
      },
      agents: Object.fromEntries((agents.data?.data ?? []).map((one) => [one.name, one.title || one.name])),
      hues: Object.fromEntries((agents.data?.data ?? []).map((one) => [one.name, one.hue ?? ""])),
      mayAnswer: can("guard:approve"),
      mayOverdraw: can("costs:write"),
      mayChange: can("guard:write"),
      mayUndo: can("projects:write"),
    }),
    [router, me.user, agents.data, users.data, rights],
  );
  return <Surroundings value={around}>{children}</Surroundings>;
}

/** An approval anywhere in the app. */
export default function Approval({ id, compact }: { id: string; compact?: boolean }) {
  return (
    <GuardAround>
      <ApprovalCard id={id} {...(compact ? { compact } : {})} />
    </GuardAround>
  );
}

/** What people said to the questions of a run. */
export function Answered({ run }: { run: string }) {
  const can = useCan();
  if (!can("guard:read")) return null;
  return (
    <GuardAround>
      <AnsweredOf run={run} />
    </GuardAround>
  );
}
