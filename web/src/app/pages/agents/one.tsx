import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ChevronRight, MessageSquare, Trash2 } from "lucide-react";
import { useState } from "react";
import { OriginPill } from "@/features/agents/cards";
import { AgentEditor } from "@/features/agents/editor";
import { agentQuery, useRemoveAgent } from "@/features/agents/queries";
import { AgentVersions } from "@/features/agents/versions";
import { AgentYaml } from "@/features/agents/yaml";
import { agents as words } from "@/lib/messages/agents";
import { IconButton } from "@/ui/button";
import { Confirm } from "@/ui/dialog";
import { PageBody, TopBar } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { useCan } from "../../session";

/** One agent: what it is told, what it may do, what it was before. */
export default function AgentRoute() {
  const { agent } = useParams({ strict: false });
  return agent ? <AgentPage key={agent} name={agent} /> : null;
}

function AgentPage({ name }: { name: string }) {
  const can = useCan();
  const navigate = useNavigate();
  const query = useQuery(agentQuery(name));
  const remove = useRemoveAgent();
  const [removing, setRemoving] = useState(false);
  const [view, setView] = useState<"form" | "yaml">("form");
  const plugin = query.data?.plugin;
  const mayWrite = can("agents:write") && !plugin;
  return (
    <>
      <TopBar
        title={query.data?.title ?? name}
        before={
          <Link to="/agents" className="flex items-center gap-1 text-fg-3 hover:text-fg">
            {words.title}
            <ChevronRight className="!h-3.5 !w-3.5" aria-hidden="true" />
          </Link>
        }
      >
        {can("runs:write") && (
          <Link to="/chat" className="btn">
            <MessageSquare aria-hidden="true" />
            {words.chat}
          </Link>
        )}
        {mayWrite && query.data && (
          <IconButton label={words.remove} onClick={() => setRemoving(true)}>
            <Trash2 aria-hidden="true" />
          </IconButton>
        )}
      </TopBar>
      <PageBody narrow>
        <View query={query} rows={8}>
          {(agent) => (
            <>
              {plugin && (
                <div className="ban" role="note">
                  <span className="flex-1">{words.pluginNote(plugin)}</span>
                  <Link to="/plugins" className="link">
                    {words.openPlugins}
                  </Link>
                </div>
              )}
              <div className="flex items-center gap-3">
                <Segmented
                  label={words.view}
                  value={view}
                  options={[
                    { value: "form", label: words.form },
                    { value: "yaml", label: words.yaml },
                  ]}
                  onChange={setView}
                />
                <OriginPill agent={agent} />
              </div>
              {view === "form" ? (
                <AgentEditor key={agent.version} agent={agent} mayWrite={mayWrite} />
              ) : (
                <AgentYaml agent={agent} mayWrite={mayWrite} />
              )}
              <AgentVersions agent={agent} mayWrite={mayWrite} />
              <Confirm
                open={removing}
                onClose={() => setRemoving(false)}
                title={words.removeTitle(agent.title)}
                body={words.removeBody}
                action={words.remove}
                onConfirm={async () => {
                  await remove.mutateAsync(agent);
                  toast.done(words.removed);
                  void navigate({ to: "/agents" });
                }}
              />
            </>
          )}
        </View>
      </PageBody>
    </>
  );
}
