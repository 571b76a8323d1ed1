import { useQuery } from "@tanstack/react-query";
import { Check as CheckIcon, X } from "lucide-react";
import type { Check, Mode, System } from "@/api/types";
import { bytes, count, words as sentence } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { duration } from "@/lib/time";
import { Pill, type Tone } from "@/ui/bits";
import { Section } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { Skeleton, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { systemQuery, useSetMode } from "./queries";

const words = settings.health;

/** The tone of a check's status. */
export function toneOf(status: Check["status"]): Tone {
  return status === "ok" ? "ok" : "bad";
}

export function Health({ mayChange }: { mayChange: boolean }) {
  const query = useQuery(systemQuery);
  if (!query.data) {
    return (
      <Section title={words.checks}>
        <View query={query}>{() => <Skeleton />}</View>
      </Section>
    );
  }
  return (
    <View query={query}>
      {(system) => (
        <>
          <Section title={words.checks} flush>
            <ul>
              {system.checks.map((check) => (
                <CheckRow key={check.name} check={check} />
              ))}
            </ul>
          </Section>
          <Server system={system} mayChange={mayChange} />
          <Counts counts={system.counts} />
        </>
      )}
    </View>
  );
}

function CheckRow({ check }: { check: Check }) {
  const tone = toneOf(check.status);
  const Icon = tone === "ok" ? CheckIcon : X;
  return (
    <li className="flex min-h-[var(--row)] items-center gap-3 border-b border-line px-4 py-2 last:border-0">
      <span className="w-[140px] flex-none font-medium">{sentence(check.name)}</span>
      <Pill tone={tone}>
        <Icon aria-hidden="true" />
        {sentence(check.status)}
      </Pill>
      <span className="min-w-0 flex-1 text-fg-2">{check.message}</span>
    </li>
  );
}

const modes: readonly Mode[] = ["normal", "maintenance", "draining"];

function Server({ system, mayChange }: { system: System; mayChange: boolean }) {
  const set = useSetMode();
  const change = (mode: Mode) =>
    set.mutate(mode, {
      onSuccess: () => toast.done(words.modeSet(words.modes[mode] ?? mode)),
      onError: (error) => toast.failed(error, common.errors.title),
    });
  const facts: [string, string][] = [
    [words.version, system.version],
    [words.started, duration(Date.now() - Date.parse(system.started_at))],
    [words.database, `${system.database.engine} · ${bytes(system.database.size_bytes)}`],
    [
      words.disk,
      system.disk ? words.free(bytes(system.disk.free_bytes), bytes(system.disk.total_bytes)) : "",
    ],
    [words.data, system.data_dir ?? ""],
  ];
  return (
    <Section
      title={words.server}
      actions={
        <a className="link text-small" href="/docs">
          {words.docs}
        </a>
      }
    >
      <dl className="grid grid-cols-[120px_1fr] gap-x-4 gap-y-2">
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name} className="contents">
                <dt className="text-fg-3">{name}</dt>
                <dd className="num min-w-0 break-words">{value}</dd>
              </div>
            ),
        )}
        <dt className="text-fg-3">{words.mode}</dt>
        <dd className="flex flex-wrap items-center gap-3">
          {mayChange ? (
            <Segmented
              label={words.mode}
              value={system.mode}
              onChange={change}
              options={modes.map((value) => ({ value, label: words.modes[value] ?? value }))}
            />
          ) : (
            <Pill>{words.modes[system.mode] ?? system.mode}</Pill>
          )}
          <span className="text-small text-fg-3">{words.modeHelp[system.mode]}</span>
        </dd>
      </dl>
    </Section>
  );
}

function Counts({ counts }: { counts: Record<string, number> }) {
  const entries = Object.entries(counts);
  if (entries.length === 0) return null;
  return (
    <Section title={words.counts}>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt className="text-small text-fg-3">{sentence(name)}</dt>
            <dd className="num text-h2 font-medium">{count(value)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
