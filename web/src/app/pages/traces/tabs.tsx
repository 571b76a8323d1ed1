import { traces } from "@/lib/messages/traces";
import { TabbedBar } from "../../page-tabs";

const tabs = [
  { to: "/traces", label: traces.tabs.requests },
  { to: "/traces/cases", label: traces.tabs.cases },
] as const;

/** The bar of the two lists: every request, and those that are kept to be tried again. */
export const TracesBar = () => <TabbedBar title={traces.title} label={traces.tabs.label} tabs={tabs} />;
