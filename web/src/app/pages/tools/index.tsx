import { useSearch } from "@tanstack/react-router";
import { ToolBrowser } from "@/features/tools/browser";
import { Servers } from "@/features/tools/servers";
import { tools } from "@/lib/messages/tools";
import { PageBody } from "@/ui/page";
import { TabbedBar } from "../../page-tabs";
import { useCan } from "../../session";

const tabs = (["servers", "tools"] as const).map((tab) => ({
  to: "/tools" as const,
  search: tab === "servers" ? {} : { tab },
  label: tools.tabs[tab],
}));

/** What agents can use. The open tab is in the address. */
export default function ToolsRoute() {
  const can = useCan();
  const { tab = "servers" } = useSearch({ from: "/shell/tools" });
  return (
    <>
      <TabbedBar title={tools.title} label={tools.tabs.label} tabs={tabs} />
      <PageBody narrow>
        {tab === "servers" ? (
          <Servers mayWrite={can("mcp:write")} mayUse={can("tools:use")} />
        ) : (
          <ToolBrowser mayUse={can("tools:use")} />
        )}
      </PageBody>
    </>
  );
}
