import { useQuery } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { agentsQuery } from "@/features/agents/queries";
import { type Around, Surroundings } from "@/features/costs/open";
import { keysQuery, usersQuery } from "@/features/identity/queries";
import { costs } from "@/lib/messages/costs";
import { TabbedBar } from "../../page-tabs";
import { useCan } from "../../session";
import "@/features/costs/costs.css";

const tabs = [
  { to: "/costs", label: costs.tabs.overview },
  { to: "/costs/budgets", label: costs.tabs.budgets },
  { to: "/costs/rates", label: costs.tabs.rates },
  { to: "/costs/records", label: costs.tabs.records },
] as const;

/** What the four pages of costs have in common: the bar, the tabs, and the names of things. */
export function CostsFrame({ tools, children }: { tools?: ReactNode; children: ReactNode }) {
  const around = useAroundHere();
  return (
    <Surroundings value={around}>
      <TabbedBar title={costs.title} label={costs.tabs.label} tabs={tabs}>
        {tools}
        {around.mayChange && (
          <Link
            to="/costs/budgets"
            search={{ create: true }}
            className="btn solid"
            aria-label={costs.newBudget}
          >
            <Plus aria-hidden="true" />
            <span className="max-sm:hidden">{costs.newBudget}</span>
          </Link>
        )}
      </TabbedBar>
      {children}
    </Surroundings>
  );
}

function useAroundHere(): Around {
  const router = useRouter();
  const can = useCan();
  const agents = useQuery({ ...agentsQuery, enabled: can("agents:read") });
  const users = useQuery({ ...usersQuery, enabled: can("users:read") });
  const keys = useQuery({ ...keysQuery, enabled: can("keys:read") });
  const mayChange = can("costs:write");
  return useMemo(
    () => ({
      go: (href) => router.history.push(href),
      names: {
        agent: Object.fromEntries(agents.data?.data.map((one) => [one.name, one.title || one.name]) ?? []),
        user: Object.fromEntries(users.data?.data.map((one) => [one.id, one.name || one.user]) ?? []),
        key: Object.fromEntries(keys.data?.data.map((one) => [one.id, one.name]) ?? []),
      },
      hues: Object.fromEntries(agents.data?.data.map((one) => [one.name, one.hue]) ?? []),
      mayChange,
    }),
    [router, agents.data, users.data, keys.data, mayChange],
  );
}
