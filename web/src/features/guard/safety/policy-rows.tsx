import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { guard } from "@/lib/messages/guard";
import { Button, IconButton } from "@/ui/button";
import { Input, Select } from "@/ui/field";
import { useAround } from "../around";
import { ActionSelect } from "./policy";
import type { Policy } from "./queries";

const words = guard.policy;

/** Rows that can be added and taken away. */
function Rows({
  empty,
  add,
  onAdd,
  children,
}: {
  empty: string;
  add: string;
  onAdd: () => void;
  children: ReactNode[];
}) {
  const { mayChange } = useAround();
  return (
    <div className="flex flex-col gap-2">
      {children.length === 0 ? (
        <p className="text-fg-3">{empty}</p>
      ) : (
        <ul className="flex flex-col gap-2">{children}</ul>
      )}
      {mayChange && (
        <div>
          <Button onClick={onAdd}>
            <Plus aria-hidden="true" />
            {add}
          </Button>
        </div>
      )}
    </div>
  );
}

function Remove({ label, onClick }: { label: string; onClick: () => void }) {
  const { mayChange } = useAround();
  if (!mayChange) return null;
  return (
    <IconButton label={label} onClick={onClick}>
      <Trash2 aria-hidden="true" />
    </IconButton>
  );
}

const rowClass = "grid items-center gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_minmax(0,1.4fr)_auto]";

const globs = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/** Which tools each agent may use: one row an agent, what it may and what it may not. */
export function AgentRows({
  agents,
  onChange,
}: {
  agents: Policy["agents"];
  onChange: (agents: Policy["agents"]) => void;
}) {
  const { agents: names } = useAround();
  const free = ["*", ...Object.keys(names)].filter((name) => !(name in agents));
  const label = (name: string) => (name === "*" ? words.everyAgent : (names[name] ?? name));
  const put = (name: string, filter: Policy["agents"][string]) => onChange({ ...agents, [name]: filter });
  return (
    <Rows
      empty={words.noAgents}
      add={words.addAgent}
      onAdd={() => free[0] && put(free[0], { allow: ["*"], deny: [] })}
    >
      {Object.entries(agents).map(([name, filter]) => (
        <li key={name} className={rowClass}>
          <Select
            aria-label={words.agent}
            value={name}
            onChange={(event) => {
              const { [name]: gone, ...rest } = agents;
              onChange({ ...rest, [event.target.value]: gone ?? filter });
            }}
            options={[name, ...free].map((value) => ({ value, label: label(value) }))}
          />
          <Input
            className="mono"
            aria-label={words.mayUse(label(name))}
            placeholder={words.mayUsePlaceholder}
            defaultValue={filter.allow.join(", ")}
            onChange={(event) => put(name, { ...filter, allow: globs(event.target.value) })}
          />
          <Input
            className="mono"
            aria-label={words.mayNotUse(label(name))}
            placeholder={words.mayNotUsePlaceholder}
            defaultValue={filter.deny.join(", ")}
            onChange={(event) => put(name, { ...filter, deny: globs(event.target.value) })}
          />
          <Remove
            label={words.removeAgent(label(name))}
            onClick={() => {
              const { [name]: _, ...rest } = agents;
              onChange(rest);
            }}
          />
        </li>
      ))}
    </Rows>
  );
}

/** What happens to tools by their names, over what their level says. */
export function ToolRows({
  rules,
  onChange,
}: {
  rules: Policy["tools"];
  onChange: (rules: Policy["tools"]) => void;
}) {
  const put = (i: number, change: Partial<Policy["tools"][number]>) =>
    onChange(rules.map((rule, at) => (at === i ? { ...rule, ...change } : rule)));
  return (
    <Rows
      empty={words.noTools}
      add={words.addTool}
      onAdd={() => onChange([...rules, { tool: "", action: "ask" }])}
    >
      {rules.map((rule, i) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
          key={i}
          className="grid grid-cols-[minmax(0,1fr)_140px_auto] items-center gap-2"
        >
          <Input
            className="mono"
            aria-label={words.toolPattern}
            placeholder={words.toolPlaceholder}
            value={rule.tool}
            onChange={(event) => put(i, { tool: event.target.value })}
          />
          <ActionSelect
            label={words.toolAction(rule.tool)}
            value={rule.action}
            onChange={(action) => put(i, { action })}
          />
          <Remove
            label={words.removeTool(rule.tool)}
            onClick={() => onChange(rules.filter((_, at) => at !== i))}
          />
        </li>
      ))}
    </Rows>
  );
}

/** How many calls may be made in a while. */
export function RateRows({
  rates,
  onChange,
}: {
  rates: Policy["rates"];
  onChange: (rates: Policy["rates"]) => void;
}) {
  const put = (i: number, change: Partial<Policy["rates"][number]>) =>
    onChange(rates.map((rate, at) => (at === i ? { ...rate, ...change } : rate)));
  const number = (label: string, value: number, set: (n: number) => void) => (
    <Input
      type="number"
      inputMode="numeric"
      min={1}
      aria-label={label}
      value={value}
      onChange={(event) => set(Math.max(1, Number(event.target.value) || 1))}
    />
  );
  return (
    <Rows
      empty={words.noRates}
      add={words.addRate}
      onAdd={() => onChange([...rates, { per: "agent", limit: 60, every_seconds: 60 }])}
    >
      {rates.map((rate, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
        <li key={i} className="flex flex-wrap items-center gap-2">
          <span className="w-[96px]">
            {number(words.rateLimit, rate.limit, (limit) => put(i, { limit }))}
          </span>
          {words.rateIn}
          <span className="w-[84px]">
            {number(words.rateEvery, rate.every_seconds, (n) => put(i, { every_seconds: n }))}
          </span>
          {words.ratePer}
          <span className="w-[140px]">
            <Select
              aria-label={words.ratePer}
              value={rate.per}
              onChange={(event) => put(i, { per: event.target.value })}
              options={Object.entries(words.per).map(([value, label]) => ({ value, label }))}
            />
          </span>
          <span className="w-[160px]">
            <Input
              className="mono"
              aria-label={words.rateTool}
              placeholder={words.rateToolPlaceholder}
              value={rate.tool ?? ""}
              onChange={(event) => put(i, { tool: event.target.value })}
            />
          </span>
          <Remove label={words.removeRate} onClick={() => onChange(rates.filter((_, at) => at !== i))} />
        </li>
      ))}
    </Rows>
  );
}
