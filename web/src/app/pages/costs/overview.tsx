import { useNavigate, useSearch } from "@tanstack/react-router";
import { Calendar, ChevronDown } from "lucide-react";
import { useMemo } from "react";
import { kinds } from "@/features/costs/breakdown-card";
import { CostsOverview } from "@/features/costs/overview";
import { monthId, monthOf, monthText, recentMonths } from "@/features/costs/period";
import { windowOf } from "@/features/costs/use-month";
import { costs } from "@/lib/messages/costs";
import { Menu, MenuChoices } from "@/ui/menu";
import { PageBody } from "@/ui/page";
import { ExportMenu } from "./export-menu";
import { CostsFrame } from "./frame";
import { useToday } from "./today";

type Search = { month?: string; by?: string; step?: string };

/** What was spent in a month. */
export default function CostsRoute() {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const now = useToday();
  const month = useMemo(() => monthOf(search.month, now), [search.month, now]);
  const by = kinds.find((kind) => kind === search.by) ?? "agent";
  const step = search.step === "hour" && month.today !== undefined ? "hour" : "day";
  const show = (change: Search) =>
    void navigate({ to: "/costs", search: { ...search, ...change }, replace: true });
  return (
    <CostsFrame
      tools={
        <>
          <Menu
            align="end"
            trigger={
              <button type="button" className="chip" aria-label={`${costs.month}: ${monthText(month.start)}`}>
                <Calendar aria-hidden="true" />
                {monthText(month.start)}
                <ChevronDown className="!h-3 !w-3" aria-hidden="true" />
              </button>
            }
          >
            <MenuChoices
              value={month.id}
              onChange={(id) => show({ month: id })}
              options={recentMonths(now, 12).map((at) => ({ value: monthId(at), label: monthText(at) }))}
            />
          </Menu>
          <ExportMenu filter={windowOf(month)} />
        </>
      }
    >
      <PageBody>
        <CostsOverview
          month={month}
          now={now}
          by={by}
          onBy={(value) => show({ by: value })}
          step={step}
          onStep={(value) => show({ step: value })}
        />
      </PageBody>
    </CostsFrame>
  );
}
