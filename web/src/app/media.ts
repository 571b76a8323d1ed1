import { useSyncExternalStore } from "react";

/** True while a media query matches. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}

export const usePhone = () => useMedia("(max-width: 639.98px)");
export const useTablet = () => useMedia("(min-width: 640px) and (max-width: 1023.98px)");
