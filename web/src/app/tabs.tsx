import { Link } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { Suspense, useState } from "react";
import { shell } from "@/lib/messages/shell";
import { onDemand } from "@/lib/on-demand";
import { Later } from "./later";
import { usePages } from "./sidebar";

const More = onDemand(() => import("./more"), "default");

/** The bar at the bottom of a phone. */
export function Tabs() {
  const [more, setMore] = useState(false);
  return (
    <nav className="tabbar" aria-label={shell.tabs}>
      {usePages()
        .filter((page) => page.tab)
        .map(({ to, label, icon: Icon, exact, Badge }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: !!exact }}
            activeProps={{ "aria-current": "page" }}
            className="relative"
          >
            <Icon aria-hidden="true" />
            {label}
            {Badge && (
              <Later>
                <Badge />
              </Later>
            )}
          </Link>
        ))}
      <button type="button" aria-haspopup="dialog" onClick={() => setMore(true)}>
        <Ellipsis aria-hidden="true" />
        {shell.nav.more}
      </button>
      <Suspense>{more && <More onClose={() => setMore(false)} />}</Suspense>
    </nav>
  );
}
