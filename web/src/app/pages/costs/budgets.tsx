import { useNavigate, useSearch } from "@tanstack/react-router";
import { Budgets } from "@/features/costs/budgets";
import { PageBody } from "@/ui/page";
import { CostsFrame } from "./frame";

/** What may be spent. */
export default function BudgetsRoute() {
  const { create = false } = useSearch({ strict: false });
  const navigate = useNavigate();
  return (
    <CostsFrame>
      <PageBody>
        <Budgets
          creating={create}
          onCreating={(on) =>
            void navigate({ to: "/costs/budgets", search: on ? { create: true } : {}, replace: true })
          }
        />
      </PageBody>
    </CostsFrame>
  );
}
