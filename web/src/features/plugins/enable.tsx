import { common } from "@/lib/messages/common";
import { plugins as words } from "@/lib/messages/plugins";
import { Pill, type Tone } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { type Plugin, useEnable } from "./queries";

const tones: Record<Plugin["powers"][number]["risk"], Tone> = { low: "plain", medium: "warn", high: "bad" };

/** What a plugin may do, in words, with how much that is. */
export function Powers({ powers }: { powers: Plugin["powers"] }) {
  return (
    <ul className="flex flex-col gap-2">
      {powers.map((power) => (
        <li key={power.text} className="flex items-start gap-2">
          <Pill tone={tones[power.risk]}>{words.risk[power.risk]}</Pill>
          <span className="min-w-0 flex-1 break-words">{power.text}</span>
        </li>
      ))}
    </ul>
  );
}

/** The files that are others than those that were agreed to. */
export function Changes({ changes }: { changes: Plugin["changes"] }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium">{words.changes(changes.length)}</p>
      <ul className="text-small">
        {changes.slice(0, 20).map((change) => (
          <li key={change.path}>
            {words.change[change.change]} <span className="mono break-all">{change.path}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Asks for consent to exactly what is shown. */
export function Enable({ plugin, onClose }: { plugin: Plugin; onClose: () => void }) {
  const enable = useEnable();
  const unset = plugin.settings.find((s) => s.required && !s.set && s.value === undefined);
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title={words.enableTitle(plugin.name, plugin.version)}
      body={words.enableBody}
    >
      <div className="flex max-h-[50vh] flex-col gap-3 overflow-y-auto">
        {plugin.changes.length > 0 && <Changes changes={plugin.changes} />}
        {plugin.powers.length > 0 ? <Powers powers={plugin.powers} /> : <p>{words.nothing}</p>}
        {plugin.contributes.workflows.length > 0 && <p className="text-fg-3">{words.workflowsLater}</p>}
        <p className="mono break-all text-small text-fg-3">
          {plugin.folder} · {plugin.digest}
        </p>
      </div>
      {unset && <p className="text-bad">{words.needs(unset.title)}</p>}
      {enable.error && <Problem error={enable.error} title={common.errors.title} />}
      <DialogActions>
        <Button onClick={onClose}>{common.actions.cancel}</Button>
        <Button
          look="solid"
          disabled={unset !== undefined}
          busy={enable.isPending}
          onClick={() =>
            enable.mutate(plugin, {
              onSuccess: () => {
                toast.done(words.enabled(plugin.name));
                onClose();
              },
            })
          }
        >
          {words.enable}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
