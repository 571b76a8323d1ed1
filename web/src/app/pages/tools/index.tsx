import { useNavigate, useSearch } from "@tanstack/react-router";
import { ToolBrowser } from "@/features/tools/browser";
import { Servers } from "@/features/tools/servers";
import { tools } from "@/lib/messages/tools";
import { PageBody, TopBar } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { useCan } from "../../session";

/** What agents can use. The open tab is in the address. */
export default function ToolsRoute() {
  const can = useCan();
  const navigate = useNavigate();
  const { tab = "servers" } = useSearch({ from: "/shell/tools" });
  return (
    <>
      <TopBar title={tools.title} />
      <PageBody narrow>
        <div className="flex">
          <Segmented
            label={tools.title}
            value={tab}
            options={(["servers", "tools"] as const).map((value) => ({ value, label: tools.tabs[value] }))}
            onChange={(next) => void navigate({ to: "/tools", search: { tab: next }, replace: true })}
          />
        </div>
        {tab === "servers" ? (
          <Servers mayWrite={can("mcp:write")} mayUse={can("tools:use")} />
        ) : (
          <ToolBrowser mayUse={can("tools:use")} />
        )}
      </PageBody>
    </>
  );
}
