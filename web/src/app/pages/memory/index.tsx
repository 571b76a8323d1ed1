import { Link, useSearch } from "@tanstack/react-router";
import { Facts, Review, type SourceLink } from "@/features/memory/facts";
import { GraphView } from "@/features/memory/graph";
import { Knowledge } from "@/features/memory/knowledge";
import { ProfileView } from "@/features/memory/profile";
import { Recall } from "@/features/memory/recall";
import { memory } from "@/lib/messages/memory";
import { PageBody } from "@/ui/page";
import { TabbedBar } from "../../page-tabs";
import { useCan } from "../../session";

const tabs = (["facts", "review", "graph", "profile", "knowledge", "recall"] as const).map((tab) => ({
  to: "/memory" as const,
  search: tab === "facts" ? {} : { tab },
  label: memory.tabs[tab],
}));

/** What agents know. The open tab is in the address. */
export default function MemoryRoute() {
  const can = useCan();
  const { tab = "facts" } = useSearch({ from: "/shell/memory" });
  const mayWrite = can("memory:write");
  const link: SourceLink = (id, children) => (
    <Link to="/chat/$id" params={{ id }} className="link">
      {children}
    </Link>
  );
  return (
    <>
      <TabbedBar title={memory.title} label={memory.tabs.label} tabs={tabs} />
      <PageBody narrow={tab !== "graph"}>
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
