import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { monthOf } from "@/features/costs/period";
import { Rates } from "@/features/costs/rates";
import { PageBody } from "@/ui/page";
import { CostsFrame } from "./frame";
import { useToday } from "./today";

/** What models cost. */
export default function RatesRoute() {
  const { q = "", missing = false }: { q?: string; missing?: boolean } = useSearch({ strict: false });
  const navigate = useNavigate();
  const now = useToday();
  const month = useMemo(() => monthOf(undefined, now), [now]);
  return (
    <CostsFrame>
      <PageBody>
        <Rates
          month={month}
          q={q}
          missing={missing}
          onSearch={(search) =>
            void navigate({
              to: "/costs/rates",
              search: { ...(search.q ? { q: search.q } : {}), ...(search.missing ? { missing: true } : {}) },
              replace: true,
            })
          }
        />
      </PageBody>
    </CostsFrame>
  );
}
