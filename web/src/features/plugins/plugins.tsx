import { useQuery } from "@tanstack/react-query";
import { Blocks, Plus } from "lucide-react";
import { useState } from "react";
import { common } from "@/lib/messages/common";
import { plugins as words } from "@/lib/messages/plugins";
import { exactTime } from "@/lib/time";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { useRemoval } from "@/ui/removal";
import { Empty, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { PluginCard } from "./card";
import { Install } from "./install";
import { type Plugin, pluginsQuery, removedQuery, useRemovePlugin, useRestore } from "./queries";

/** The plugins of the server, as the workspace has them. */
export function Plugins({ mayWrite }: { mayWrite: boolean }) {
  const list = useQuery(pluginsQuery);
  const remove = useRemovePlugin();
  const [installing, setInstalling] = useState(false);
  const [ask, dialog] = useRemoval<Plugin>({
    title: (plugin) => words.removeTitle(plugin.name),
    body: words.removeBody,
    action: words.remove,
    done: words.removed,
    remove: (plugin) => remove.mutateAsync(plugin.name),
  });
  const install = mayWrite && (
    <Button look="solid" onClick={() => setInstalling(true)}>
      <Plus aria-hidden="true" />
      {words.install}
    </Button>
  );
  return (
    <>
      <View
        query={list}
        isEmpty={(page) => page.data.length === 0}
        empty={
          <>
            <Empty icon={<Blocks />} title={words.empty} body={words.emptyBody}>
              {install}
            </Empty>
            <Commands />
          </>
        }
      >
        {(page) => (
          <>
            <div className="flex justify-end">{install}</div>
            <ul className="grid gap-3 lg:grid-cols-2">
              {page.data.map((plugin) => (
                <PluginCard
                  key={plugin.name}
                  plugin={plugin}
                  mayWrite={mayWrite}
                  onRemove={() => ask(plugin)}
                />
              ))}
            </ul>
          </>
        )}
      </View>
      {mayWrite && <Removed />}
      {installing && <Install onClose={() => setInstalling(false)} />}
      {dialog}
    </>
  );
}

function Commands() {
  return (
    <div className="well mx-auto flex w-full max-w-[56ch] items-start gap-2 p-3">
      <pre className="mono flex-1 overflow-x-auto text-small">{words.commands}</pre>
      <CopyButton text={words.commands} label={words.copyCommands} />
    </div>
  );
}

/** What was removed and can come back; nothing is shown where there is nothing. */
function Removed() {
  const bin = useQuery(removedQuery);
  const restore = useRestore();
  if (!bin.data || bin.data.data.length === 0) return null;
  return (
    <section aria-label={words.bin} className="flex flex-col gap-2">
      <h2 className="font-semibold">{words.bin}</h2>
      <ul className="card flex flex-col">
        {bin.data.data.map((one) => (
          <li key={`${one.name} ${one.removed_at}`} className="flex flex-wrap items-center gap-2 px-4 py-2">
            <span className="min-w-0 flex-1 font-medium">{one.name}</span>
            <span className="text-small text-fg-3">{words.binUntil(exactTime(one.until))}</span>
            <Button
              look="ghost"
              busy={restore.isPending && restore.variables === one.name}
              onClick={() =>
                restore.mutate(one.name, {
                  onSuccess: () => toast.done(words.restored(one.name)),
                  onError: (error) => toast.failed(error, common.errors.title),
                })
              }
            >
              {words.restore}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
