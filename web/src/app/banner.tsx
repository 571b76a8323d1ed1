import { useQuery } from "@tanstack/react-query";
import { LoaderCircle, TriangleAlert, WifiOff } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { systemQuery } from "@/features/system/queries";
import { shell } from "@/lib/messages/shell";
import { useLiveState } from "@/live/react";
import { useCan } from "./session";

const words = shell.live;

function useOnline(): boolean {
  return useSyncExternalStore(
    (listener) => {
      window.addEventListener("online", listener);
      window.addEventListener("offline", listener);
      return () => {
        window.removeEventListener("online", listener);
        window.removeEventListener("offline", listener);
      };
    },
    () => navigator.onLine,
  );
}

/** The one banner under the top edge: the most important thing that is wrong with the connection or server. */
export function Banner() {
  const [live, retry] = useLiveState();
  const online = useOnline();
  const now = useNow(live.lostAt !== undefined);
  const lost = live.lostAt !== undefined && now - live.lostAt >= 2000;
  if (!online) {
    return (
      <Frame tone="warn">
        <WifiOff aria-hidden="true" />
        <span className="flex-1">{words.offline}</span>
      </Frame>
    );
  }
  if (!lost) return <ModeBanner />;
  const seconds = live.nextTryAt ? Math.max(0, Math.ceil((live.nextTryAt - now) / 1000)) : 0;
  return (
    <Frame>
      <LoaderCircle className="spin text-fg-3" aria-hidden="true" />
      <span className="flex-1">{words.banner}</span>
      <span className="num text-fg-3" aria-hidden="true">
        {seconds > 0 ? words.tryIn(live.attempt, seconds) : words.trying(live.attempt)}
      </span>
      <button type="button" className="link" onClick={retry}>
        {words.now}
      </button>
    </Frame>
  );
}

function ModeBanner() {
  const can = useCan();
  const system = useQuery({ ...systemQuery, enabled: can("system:read") });
  const mode = system.data?.mode;
  if (mode !== "maintenance" && mode !== "draining") return null;
  return (
    <Frame tone="warn">
      <TriangleAlert aria-hidden="true" />
      <span className="flex-1">{mode === "maintenance" ? shell.maintenance : shell.draining}</span>
    </Frame>
  );
}

function Frame({ tone, children }: { tone?: "warn"; children: React.ReactNode }) {
  return (
    <div className="px-3 pt-2">
      <div role="status" className={tone ? `ban ${tone}` : "ban"}>
        {children}
      </div>
    </div>
  );
}

/** The time, moving twice a second while something counts down. */
function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticking) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}
