import { Link, type LinkProps } from "@tanstack/react-router";

/** The pages that share a place in the menu, as one choice in their bar. */
export function PageTabs({
  label,
  tabs,
  className,
}: {
  label: string;
  tabs: readonly { to: LinkProps["to"]; label: string }[];
  className: string;
}) {
  return (
    <nav className={className} aria-label={label}>
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
