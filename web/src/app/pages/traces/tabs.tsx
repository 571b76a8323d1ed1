import { Link } from "@tanstack/react-router";
import { traces } from "@/lib/messages/traces";

const tabs = [
  { to: "/traces", label: traces.tabs.requests },
  { to: "/traces/cases", label: traces.tabs.cases },
] as const;

/** The two lists of the page: every request, and those that are kept to be tried again. */
export function TraceTabs() {
  return (
    <nav className="ml-1" aria-label={traces.tabs.label}>
      <span className="seg">
        {tabs.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: true, includeSearch: false }}
            activeProps={{ "aria-current": "page" }}
          >
            {label}
          </Link>
        ))}
      </span>
    </nav>
  );
}
