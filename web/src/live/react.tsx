import { createContext, type ReactNode, use, useEffect, useRef, useSyncExternalStore } from "react";
import type { LiveEvent } from "@/api/types";
import type { Live, LiveState } from "./live";

const Context = createContext<Live | undefined>(undefined);

export function LiveProvider({ live, children }: { live: Live; children: ReactNode }) {
  useEffect(() => {
    live.start();
    const again = () => live.retryNow();
    window.addEventListener("online", again);
    document.addEventListener("visibilitychange", again);
    return () => {
      window.removeEventListener("online", again);
      document.removeEventListener("visibilitychange", again);
      live.stop();
    };
  }, [live]);
  return <Context value={live}>{children}</Context>;
}

function useLive(): Live {
  const live = use(Context);
  if (!live) throw new Error("useLive needs a LiveProvider above it");
  return live;
}

/** The connection itself, for the banner and the sidebar. */
export function useLiveState(): [LiveState, () => void] {
  const live = useLive();
  return [useSyncExternalStore(live.subscribe, live.snapshot), () => live.retryNow()];
}

/** Hears events of these channels while the component is shown. The handler may change freely. */
export function useEvents(channels: readonly string[], on: (event: LiveEvent) => void): void {
  const live = useLive();
  const handler = useRef(on);
  useEffect(() => {
    handler.current = on;
  });
  const key = channels.join(",");
  useEffect(() => {
    if (key === "") return;
    return live.want({ channels: key.split(","), on: (event) => handler.current(event) });
  }, [live, key]);
}
