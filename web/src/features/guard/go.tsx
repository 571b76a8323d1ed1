import type { ComponentProps } from "react";
import { useAround } from "./around";

/** A link that stays in the app. */
export function Go({ href, ...rest }: ComponentProps<"a"> & { href: string }) {
  const { go } = useAround();
  return (
    <a
      href={href}
      {...rest}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(href);
      }}
    />
  );
}
