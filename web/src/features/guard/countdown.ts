import { useEffect, useState } from "react";
import { duration } from "@/lib/time";

/** The time, told every second while something counts down. */
export function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticking) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}

/** How long is left, as a clock under an hour: "4:38". */
export function left(deadline: string, now: number): string {
  const ms = Math.max(0, Date.parse(deadline) - now);
  if (ms >= 3_600_000) return duration(ms);
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
