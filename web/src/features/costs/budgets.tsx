import { useQuery } from "@tanstack/react-query";
import { Pencil, Plus, Trash2, Wallet } from "lucide-react";
import { useState } from "react";
import { common } from "@/lib/messages/common";
import { costs } from "@/lib/messages/costs";
import { Button, IconButton } from "@/ui/button";
import { Confirm } from "@/ui/dialog";
import { Switch } from "@/ui/field";
import { Empty, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { unitText } from "./amount";
import {
  budgetName,
  percentOf,
  resetText,
  Spent,
  standingOf,
  Track,
  toneClass,
  useScopeText,
} from "./budget-bits";
import { BudgetForm, GrantForm } from "./budget-form";
import { useAround } from "./open";
import { weekdayText } from "./period";
import { type Budget, budgetsQuery, projectionQuery, useChangeBudget, useDeleteBudget } from "./queries";

const words = costs.budgets;

type Doing = { what: "edit" | "grant" | "delete"; budget: Budget };

/** Every budget with where it stands and where it is going. */
export function Budgets({ creating, onCreating }: { creating: boolean; onCreating: (on: boolean) => void }) {
  const query = useQuery(budgetsQuery);
  const { mayChange } = useAround();
  const [doing, setDoing] = useState<Doing>();
  const remove = useDeleteBudget();
  const close = () => setDoing(undefined);
  return (
    <div className="costs">
      <View
        query={query}
        isEmpty={(page) => page.data.length === 0}
        empty={
          <div className="card">
            <Empty icon={<Wallet />} title={words.empty} body={words.emptyBody}>
              {mayChange && (
                <Button look="solid" onClick={() => onCreating(true)}>
                  {costs.newBudget}
                </Button>
              )}
            </Empty>
          </div>
        }
      >
        {(page) => (
          <ul className="grid gap-3 lg:grid-cols-2">
            {[...page.data]
              .sort((a, b) => Number(b.enabled) - Number(a.enabled) || b.percent - a.percent)
              .map((budget) => (
                <Card key={budget.id} budget={budget} onDo={(what) => setDoing({ what, budget })} />
              ))}
          </ul>
        )}
      </View>
      {creating && mayChange && <BudgetForm onClose={() => onCreating(false)} />}
      {doing?.what === "edit" && <BudgetForm budget={doing.budget} onClose={close} />}
      {doing?.what === "grant" && <GrantForm budget={doing.budget} onClose={close} />}
      {doing?.what === "delete" && (
        <Confirm
          open
          onClose={close}
          title={words.deleteTitle(budgetName(doing.budget))}
          body={words.deleteBody}
          action={common.actions.delete}
          onConfirm={async () => {
            await remove.mutateAsync(doing.budget.id);
            toast.done(words.deleted);
          }}
        />
      )}
    </div>
  );
}

function Card({ budget, onDo }: { budget: Budget; onDo: (what: Doing["what"]) => void }) {
  const scope = useScopeText();
  const standing = standingOf(budget);
  const name = budgetName(budget);
  const { mayChange } = useAround();
  return (
    <li className="card flex min-w-0 flex-col gap-3 p-4" id={budget.id}>
      <div className="flex items-baseline gap-2">
        <h2 className="trunc text-base font-semibold">{name}</h2>
        <span className="trunc text-small text-fg-3">{scope(budget)}</span>
        <span className="flex-1" />
        <Spent budget={budget} />
      </div>
      <Track budget={budget} large />
      <div className="flex flex-wrap items-center justify-between gap-x-3 text-small text-fg-3">
        <span className={`flex items-center gap-1 ${toneClass(standing)} [&>svg]:h-3.5 [&>svg]:w-3.5`}>
          {standing.icon}
          {standing.text}
        </span>
        <span className="num">{resetText(budget)}</span>
      </div>
      <Outlook budget={budget} />
      <Facts budget={budget} />
      {mayChange && (
        <div className="mt-auto flex items-center gap-2 border-t border-line pt-3">
          <Button onClick={() => onDo("grant")}>
            <Plus aria-hidden="true" />
            {words.grant}
          </Button>
          <IconButton label={`${words.edit}: ${name}`} onClick={() => onDo("edit")}>
            <Pencil aria-hidden="true" />
          </IconButton>
          <IconButton label={`${words.delete}: ${name}`} onClick={() => onDo("delete")}>
            <Trash2 aria-hidden="true" />
          </IconButton>
          <span className="flex-1" />
          <OnOff budget={budget} name={name} />
        </div>
      )}
    </li>
  );
}

function OnOff({ budget, name }: { budget: Budget; name: string }) {
  const change = useChangeBudget();
  return (
    <Switch
      label={words.enabled(name)}
      checked={budget.enabled}
      disabled={change.isPending}
      onChange={(event) =>
        change.mutate(
          { id: budget.id, enabled: event.target.checked },
          { onError: (error) => toast.failed(error, common.errors.title) },
        )
      }
    />
  );
}

/** Where the period ends if it goes on as it began. */
function Outlook({ budget }: { budget: Budget }) {
  const open = budget.enabled && budget.spent < budget.limit;
  const { data } = useQuery({ ...projectionQuery(budget.id), enabled: open });
  if (!open || !data) return null;
  if (data.runs_out_at)
    return <p className="text-small text-warn">{words.runsOut(weekdayText(new Date(data.runs_out_at)))}</p>;
  return (
    <p className="text-small text-fg-2">
      {words.expectedEnd(unitText(budget.unit, data.projected), percentOf(data))}
    </p>
  );
}

function Facts({ budget }: { budget: Budget }) {
  const amount = (value: number) => unitText(budget.unit, value);
  const facts: [string, string][] = [
    [words.left, amount(Math.max(0, budget.left))],
    ...(budget.reserved > 0 ? [[words.reserved, amount(budget.reserved)] as [string, string]] : []),
    ...(budget.granted > 0 ? [[words.granted, amount(budget.granted)] as [string, string]] : []),
    ...(budget.carried > 0 ? [[words.carried, amount(budget.carried)] as [string, string]] : []),
    [words.atLimit, words.limits[budget.at_limit] ?? budget.at_limit],
  ];
  return (
    <>
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-small">
        {facts.map(([name, value]) => (
          <div key={name} className="flex gap-1.5">
            <dt className="text-fg-3">{name}</dt>
            <dd className="num">{value}</dd>
          </div>
        ))}
      </dl>
      {budget.thresholds.length > 0 && (
        <p className="text-micro text-fg-3">
          {words.marks(budget.thresholds.map((mark) => `${mark}%`).join(", "))}
          {budget.unpriced > 0 && ` · ${costs.breakdown.some(budget.unpriced)}`}
        </p>
      )}
    </>
  );
}
