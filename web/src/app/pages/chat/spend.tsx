import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { renew } from "@/api/news";
import { costKeys } from "@/features/costs/queries";
import { SpendChip } from "@/features/costs/spend-chip";
import { runsOfQuery } from "@/features/runs/queries";
import { isActive } from "@/features/runs/stream";
import { useCan, useMe } from "../../session";

/** What the chat has cost; read anew when an answer is complete. */
export function Spend({ conversation, agent }: { conversation: string; agent: string | undefined }) {
  const can = useCan();
  return can("costs:read") ? <Spent conversation={conversation} agent={agent} /> : null;
}

function Spent({ conversation, agent }: { conversation: string; agent: string | undefined }) {
  const cache = useQueryClient();
  const me = useMe();
  const over = useQuery(runsOfQuery(conversation)).data?.data.filter((run) => !isActive(run)).length ?? 0;
  useEffect(() => {
    if (over === 0) return;
    renew(cache, { queryKey: costKeys.totals({ conversation }) });
    renew(cache, { queryKey: costKeys.budgets() });
  }, [cache, conversation, over]);
  return <SpendChip conversation={conversation} user={me.user.id} agent={agent} />;
}
