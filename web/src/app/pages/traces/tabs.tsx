import { traces } from "@/lib/messages/traces";
import { PageTabs } from "../../page-tabs";

const tabs = [
  { to: "/traces", label: traces.tabs.requests },
  { to: "/traces/cases", label: traces.tabs.cases },
] as const;

/** The two lists of the page: every request, and those that are kept to be tried again. */
export const TraceTabs = () => <PageTabs className="ml-1" label={traces.tabs.label} tabs={tabs} />;
