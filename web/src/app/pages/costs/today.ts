import { useSyncExternalStore } from "react";

const hour = 3_600_000;

/** Now, to the hour: pages that count days turn over by themselves. */
export function useToday(): Date {
  const at = useSyncExternalStore(
    (changed) => {
      const timer = setInterval(changed, 60_000);
      return () => clearInterval(timer);
    },
    () => Math.floor(Date.now() / hour),
  );
  return dates.get(at) ?? remember(at);
}

/** The same hour is the same object, so that what is worked out from it stays. */
const dates = new Map<number, Date>();

function remember(at: number): Date {
  const date = new Date(at * hour);
  dates.clear();
  dates.set(at, date);
  return date;
}
