import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { agentsQuery } from "@/features/agents/queries";
import { TraceList } from "@/features/traces/list";
import { traces } from "@/lib/messages/traces";
import { useHues } from "./hues";
import { TracesBar } from "./tabs";

/** All requests; the filters are in the address. */
export default function TracesRoute() {
  const filter = useSearch({ from: "/shell/traces" });
  const navigate = useNavigate();
  const agents = useQuery(agentsQuery);
  return (
    <>
      <TracesBar />
      <TraceList
        filter={filter}
        onFilter={(search) => void navigate({ to: "/traces", search, replace: true })}
        agents={agents.data?.data ?? []}
        hue={useHues()}
        link={(run, children) => (
          <Link to="/traces/$run" params={{ run: run.id }} className="block min-w-0 flex-1">
            {children}
          </Link>
        )}
        onCompare={(a, b) => void navigate({ to: "/traces/compare", search: { a, b } })}
        begin={
          <Link to="/chat" className="btn solid">
            {traces.newChat}
          </Link>
        }
      />
    </>
  );
}
