import { type ReactNode, Suspense, useEffect, useState } from "react";
import { useLiveState } from "@/live/react";

const quietMs = 2000;
const longMs = 10_000;

/** What the page can do without at first: it is loaded once the connection stands and nobody waits for anything else. */
export function Later({ children }: { children: ReactNode }) {
  const [{ phase }] = useLiveState();
  const [on, setOn] = useState(false);
  useEffect(() => {
    if (on) return;
    const timer = setTimeout(() => setOn(true), phase === "open" ? quietMs : longMs);
    return () => clearTimeout(timer);
  }, [phase, on]);
  return on && <Suspense>{children}</Suspense>;
}
