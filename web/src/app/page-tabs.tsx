import { Link, type LinkProps, useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { count } from "@/lib/format";
import { TopBar } from "@/ui/page";

/** One of the pages that share a place in the menu. Those told apart by what follows the question mark say it, also if it is nothing. */
export type PageTab = Pick<LinkProps, "to" | "params" | "search"> & { label: string; waiting?: number };

type Props = { label: string; tabs: readonly PageTab[] };

/** The bar of pages that share a place in the menu: which one is open stands beside the title, and below it where there is little room. */
export function TabbedBar({ title, children, ...tabs }: Props & { title: string; children?: ReactNode }) {
  return (
    <>
      <TopBar title={title} after={<PageTabs className="ml-1 max-lg:hidden" {...tabs} />}>
        {children}
      </TopBar>
      <PageTabs className="flex-none overflow-x-auto border-b border-line px-4 py-2 lg:hidden" {...tabs} />
    </>
  );
}

function PageTabs({ label, tabs, className }: Props & { className: string }) {
  const { href } = useLocation();
  const bar = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: keeps the chosen tab in sight when it changes
  useEffect(() => {
    bar.current
      ?.querySelector("[aria-current=page]")
      ?.scrollIntoView?.({ block: "nearest", inline: "center" });
  }, [href]);
  return (
    <nav ref={bar} className={className} aria-label={label}>
      <span className="seg">
        {tabs.map(({ label, waiting = 0, ...link }) => (
          <Link
            key={label}
            {...link}
            activeOptions={{ exact: true, includeSearch: link.search !== undefined }}
            activeProps={{ "aria-current": "page" }}
          >
            {label}
            {waiting > 0 && <span className="badge warn">{count(waiting)}</span>}
          </Link>
        ))}
      </span>
    </nav>
  );
}
