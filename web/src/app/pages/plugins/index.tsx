import { useQueryClient } from "@tanstack/react-query";
import { renew } from "@/api/news";
import { Plugins } from "@/features/plugins/plugins";
import { pluginKeys } from "@/features/plugins/queries";
import { plugins } from "@/lib/messages/plugins";
import { useEvents } from "@/live/react";
import { PageBody, TopBar } from "@/ui/page";
import { useCan } from "../../session";

const channels = ["plugins"];

/** What folders add to the workspace. */
export default function PluginsRoute() {
  const can = useCan();
  const cache = useQueryClient();
  useEvents(channels, () => renew(cache, { queryKey: pluginKeys.all }));
  return (
    <>
      <TopBar title={plugins.title} />
      <PageBody narrow>
        <Plugins mayWrite={can("plugins:write")} />
      </PageBody>
    </>
  );
}
