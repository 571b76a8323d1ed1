import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Facts, Review, type SourceLink } from "@/features/memory/facts";
import { GraphView } from "@/features/memory/graph";
import { Knowledge } from "@/features/memory/knowledge";
import { ProfileView } from "@/features/memory/profile";
import { Recall } from "@/features/memory/recall";
import { memory } from "@/lib/messages/memory";
import { PageBody, TopBar } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { useCan } from "../../session";

const tabs = ["facts", "review", "graph", "profile", "knowledge", "recall"] as const;

/** What agents know. The open tab is in the address. */
export default function MemoryRoute() {
  const can = useCan();
  const navigate = useNavigate();
  const { tab = "facts" } = useSearch({ from: "/shell/memory" });
  const mayWrite = can("memory:write");
  const link: SourceLink = (id, children) => (
    <Link to="/chat/$id" params={{ id }} className="link">
      {children}
    </Link>
  );
  return (
    <>
      <TopBar title={memory.title} />
      <PageBody narrow={tab !== "graph"}>
        <div className="flex overflow-x-auto">
          <Segmented
            label={memory.title}
            value={tab}
            options={tabs.map((value) => ({ value, label: memory.tabs[value] }))}
            onChange={(next) => void navigate({ to: "/memory", search: { tab: next }, replace: true })}
          />
        </div>
        {tab === "facts" && <Facts mayWrite={mayWrite} link={link} />}
        {tab === "review" && <Review mayWrite={mayWrite} link={link} />}
        {tab === "graph" && <GraphView mayWrite={mayWrite} />}
        {tab === "profile" && <ProfileView mayWrite={mayWrite} />}
        {tab === "knowledge" && <Knowledge mayWrite={mayWrite} />}
        {tab === "recall" && <Recall />}
      </PageBody>
    </>
  );
}
