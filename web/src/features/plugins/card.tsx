import { Power, Settings2, Trash2, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { common } from "@/lib/messages/common";
import { plugins as words } from "@/lib/messages/plugins";
import { ago } from "@/lib/time";
import { Pill, type Tone } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { toast } from "@/ui/toast";
import { Changes, Enable, Powers } from "./enable";
import { type Plugin, useDisable } from "./queries";
import { SettingsForm } from "./settings";

const tones: Record<Plugin["state"], Tone> = {
  disabled: "line",
  enabled: "ok",
  changed: "warn",
  invalid: "bad",
  missing: "bad",
};

/** What a plugin brings, in few words. */
function counts(plugin: Plugin): string[] {
  const c = plugin.contributes;
  return (
    [
      [c.mcp_servers.length, words.servers],
      [c.agents.length, words.agents],
      [c.skills.length, words.skills],
      [c.hooks.length, words.hooks],
      [c.workflows.length, words.workflows],
    ] as const
  )
    .filter(([n]) => n > 0)
    .map(([n, say]) => say(n));
}

export function PluginCard({
  plugin,
  mayWrite,
  onRemove,
}: {
  plugin: Plugin;
  mayWrite: boolean;
  onRemove: () => void;
}) {
  const [open, setOpen] = useState<"powers" | "failures">();
  const [dialog, setDialog] = useState<"enable" | "settings">();
  const disable = useDisable();
  const sick = plugin.state === "enabled" && !plugin.healthy;
  const on = plugin.state === "enabled" || plugin.state === "changed" || plugin.state === "missing";
  const brings = counts(plugin);
  const flip = (what: "powers" | "failures") => setOpen(open === what ? undefined : what);
  return (
    <li className="card flex min-w-0 flex-col gap-2 p-4" data-plugin={plugin.name}>
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 flex-1 font-semibold">
          {plugin.name} <span className="font-normal text-fg-3">{plugin.version}</span>
        </h3>
        <Pill tone={sick ? "bad" : tones[plugin.state]}>
          {sick ? words.unhealthy : words.states[plugin.state]}
        </Pill>
      </div>
      {plugin.description && <p className="text-fg-2">{plugin.description}</p>}
      <p className="text-small text-fg-3">
        {[
          plugin.author && words.by(plugin.author),
          plugin.source && words.sources[plugin.source],
          words.files(plugin.files),
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
      <p className="text-small text-fg-2">{brings.length > 0 ? brings.join(" · ") : words.nothing}</p>
      {plugin.contributes.workflows.length > 0 && (
        <p className="text-small text-fg-3">{words.workflowsLater}</p>
      )}
      {plugin.state === "changed" && (
        <div className="ban warn flex-col items-start">
          <Changes changes={plugin.changes} />
          <p className="text-small">{words.changedNote}</p>
        </div>
      )}
      {plugin.state === "missing" && <p className="text-small text-bad">{words.missingNote}</p>}
      <Problems plugin={plugin} />
      <div className="mt-auto flex flex-wrap gap-1">
        {mayWrite && plugin.state === "disabled" && (
          <Button look="solid" onClick={() => setDialog("enable")}>
            <Power aria-hidden="true" />
            {words.enable}
          </Button>
        )}
        {mayWrite && plugin.state === "changed" && plugin.problems.length === 0 && (
          <Button look="solid" onClick={() => setDialog("enable")}>
            {words.look}
          </Button>
        )}
        {mayWrite && on && (
          <Button
            look="ghost"
            busy={disable.isPending}
            onClick={() =>
              disable.mutate(plugin.name, {
                onSuccess: () => toast.done(words.disabled(plugin.name)),
                onError: (error) => toast.failed(error, common.errors.title),
              })
            }
          >
            {words.disable}
          </Button>
        )}
        {mayWrite && plugin.settings.length > 0 && plugin.problems.length === 0 && (
          <IconButton label={words.form.title(plugin.name)} onClick={() => setDialog("settings")}>
            <Settings2 aria-hidden="true" />
          </IconButton>
        )}
        {mayWrite && (plugin.source === "folder" || plugin.source === "link") && (
          <IconButton label={`${words.remove} ${plugin.name}`} onClick={onRemove}>
            <Trash2 aria-hidden="true" />
          </IconButton>
        )}
        <span className="flex-1" />
        {plugin.powers.length > 0 && (
          <Button look="ghost" aria-expanded={open === "powers"} onClick={() => flip("powers")}>
            {words.details}
          </Button>
        )}
        {(sick || plugin.failures.length > 0) && (
          <Button look="ghost" aria-expanded={open === "failures"} onClick={() => flip("failures")}>
            {words.failures}
          </Button>
        )}
      </div>
      {open === "powers" && <Powers powers={plugin.powers} />}
      {open === "failures" && <Failures plugin={plugin} />}
      {dialog === "enable" && <Enable plugin={plugin} onClose={() => setDialog(undefined)} />}
      {dialog === "settings" && <SettingsForm plugin={plugin} onClose={() => setDialog(undefined)} />}
    </li>
  );
}

/** What is wrong with its files, with the place. */
function Problems({ plugin }: { plugin: Plugin }) {
  if (plugin.problems.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 text-small">
      {plugin.problems.map((problem) => (
        <li key={`${problem.file}:${problem.line}:${problem.key}:${problem.message}`} className="flex gap-2">
          <TriangleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden="true" />
          <span className="min-w-0 break-words">
            <span className="mono">
              {problem.file}
              {problem.line ? `:${problem.line}:${problem.column}` : ""}
            </span>{" "}
            {problem.key && <span className="mono">{problem.key} </span>}
            {problem.message}. {problem.hint}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Failures({ plugin }: { plugin: Plugin }) {
  if (plugin.failures.length === 0) return <p className="text-small text-fg-3">{words.noFailures}</p>;
  return (
    <ul className="flex flex-col gap-2 text-small">
      {plugin.failures.slice(0, 10).map((failure) => (
        <li key={failure.at} className="flex flex-col gap-1">
          <span>
            <span className="mono">{failure.hook ?? failure.code}</span>{" "}
            <span className="text-fg-3">{ago(failure.at)}</span>
          </span>
          <span className="text-fg-2">{failure.message}</span>
          {failure.output && (
            <details>
              <summary>{words.printed}</summary>
              <pre className="well mono overflow-x-auto whitespace-pre-wrap break-words p-2">
                {failure.output}
              </pre>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
