import { useState } from "react";
import { ApiError } from "@/api/errors";
import { common } from "@/lib/messages/common";
import { costs } from "@/lib/messages/costs";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Checkbox, Field, Input, Select } from "@/ui/field";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { type Draft, draftOf, type Problems, readAmount, readDraft } from "./budget-draft";
import { useAround } from "./open";
import { type Budget, type By, useChangeBudget, useCreateBudget, useGrant } from "./queries";

const words = costs.budgets;
const form = words.form;
const options = (names: Record<string, string>, only: readonly string[] = Object.keys(names)) =>
  only.map((value) => ({ value, label: names[value] ?? value }));

/** Makes a budget, or changes the terms of one. What it is for cannot be changed afterwards. */
export function BudgetForm({ budget, onClose }: { budget?: Budget | undefined; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(budget));
  const [tried, setTried] = useState(false);
  const create = useCreateBudget();
  const change = useChangeBudget();
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const read = readDraft(draft, budget);
  const problems: Problems = tried ? read.problems : {};
  const error = create.error ?? change.error;
  const busy = create.isPending || change.isPending;
  const done = (text: string) => ({
    onSuccess: () => {
      toast.done(text);
      onClose();
    },
  });
  const submit = () => {
    setTried(true);
    if (!read.body) return;
    if (budget) change.mutate({ id: budget.id, ...read.change }, done(words.saved));
    else create.mutate(read.body, done(words.created));
  };
  return (
    <Dialog open onClose={onClose} title={budget ? form.edit(budget.name || words.title) : form.create}>
      <form
        className="flex flex-col gap-3.5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {!budget && <What draft={draft} set={set} problems={problems} />}
        <Field
          label={form.amount}
          help={draft.unit === "money" ? form.amountHelp : form.premiumHelp}
          error={problems.amount}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="decimal"
              value={draft.amount}
              onChange={(event) => set({ amount: event.target.value })}
            />
          )}
        </Field>
        <Field label={form.atLimit} help={words.limitHelp[draft.atLimit]}>
          {(control) => (
            <Select
              {...control}
              value={draft.atLimit}
              onChange={(event) => set({ atLimit: event.target.value as Draft["atLimit"] })}
              options={options(words.limits)}
            />
          )}
        </Field>
        <Field label={form.thresholds} help={form.thresholdsHelp} error={problems.thresholds}>
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              value={draft.thresholds}
              onChange={(event) => set({ thresholds: event.target.value })}
            />
          )}
        </Field>
        <Notify draft={draft} set={set} />
        <Field label={form.name} help={form.nameHelp} optional>
          {(control) => (
            <Input
              {...control}
              maxLength={200}
              value={draft.name}
              onChange={(event) => set({ name: event.target.value })}
            />
          )}
        </Field>
        {draft.period !== "total" && (
          <Checkbox
            label={form.rollover}
            checked={draft.rollover}
            onChange={(event) => set({ rollover: event.target.checked })}
          />
        )}
        {error != null && <Problem error={error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={busy}>
            {busy ? common.actions.saving : budget ? common.actions.save : form.submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

type Part = { draft: Draft; set: (part: Partial<Draft>) => void; problems: Problems };

function What({ draft, set, problems }: Part) {
  const { names } = useAround();
  const known = Object.entries(names[draft.scope as By] ?? {});
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Field label={form.scope}>
          {(control) => (
            <Select
              {...control}
              value={draft.scope}
              onChange={(event) => set({ scope: event.target.value as Draft["scope"], scopeId: "" })}
              options={options(words.scopes)}
            />
          )}
        </Field>
        <Field label={form.period}>
          {(control) => (
            <Select
              {...control}
              value={draft.period}
              onChange={(event) => set({ period: event.target.value as Draft["period"] })}
              options={options(words.periodNames, ["daily", "weekly", "monthly", "total"])}
            />
          )}
        </Field>
      </div>
      {draft.scope !== "workspace" && (
        <Field label={form.which} error={problems.scopeId}>
          {(control) =>
            known.length > 0 ? (
              <Select
                {...control}
                value={draft.scopeId}
                onChange={(event) => set({ scopeId: event.target.value })}
                options={[{ value: "", label: "–" }, ...known.map(([value, label]) => ({ value, label }))]}
              />
            ) : (
              <Input
                {...control}
                value={draft.scopeId}
                onChange={(event) => set({ scopeId: event.target.value })}
              />
            )
          }
        </Field>
      )}
      <Field label={form.unit}>
        {(control) => (
          <Select
            {...control}
            value={draft.unit}
            onChange={(event) => set({ unit: event.target.value as Draft["unit"] })}
            options={options(form.units)}
          />
        )}
      </Field>
    </>
  );
}

function Notify({ draft, set }: Omit<Part, "problems">) {
  const { names } = useAround();
  const users = Object.entries(names.user ?? {});
  if (users.length === 0) return null;
  return (
    <Field label={form.notify}>
      {(control) => (
        <Select
          {...control}
          value={draft.notify}
          onChange={(event) => set({ notify: event.target.value })}
          options={[
            ...(draft.notify === "" ? [{ value: "", label: form.notifyMe }] : []),
            ...users.map(([value, label]) => ({ value, label })),
          ]}
        />
      )}
    </Field>
  );
}

/** More for the current period, without changing the terms. */
export function GrantForm({ budget, onClose }: { budget: Budget; onClose: () => void }) {
  const [amount, setAmount] = useState("");
  const [tried, setTried] = useState(false);
  const grant = useGrant();
  const value = readAmount(amount, budget.unit);
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.grantTitle(budget.name || words.title)}
      body={words.grantBody}
    >
      <form
        className="flex flex-col gap-3.5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (value === undefined) return;
          grant.mutate(
            { id: budget.id, amount: value },
            {
              onSuccess: () => {
                toast.done(words.grantDone);
                onClose();
              },
            },
          );
        }}
      >
        <Field
          label={words.grantAmount}
          help={budget.unit === "money" ? form.amountHelp : form.premiumHelp}
          error={tried && value === undefined ? form.badAmount : undefined}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="decimal"
              value={amount}
              onChange={(event) => setAmount(event.target.value)}
            />
          )}
        </Field>
        {grant.error instanceof ApiError && <Problem error={grant.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={grant.isPending}>
            {words.granting}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
