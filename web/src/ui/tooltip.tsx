import { Tooltip } from "radix-ui";
import type { ReactNode } from "react";
import { Kbd } from "./bits";

export const TipProvider = ({ children }: { children: ReactNode }) => (
  <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
    {children}
  </Tooltip.Provider>
);

/** A short text shown on hover and focus of one element. */
export function Tip({
  text,
  keys,
  side = "bottom",
  children,
}: {
  text: string;
  keys?: string | undefined;
  side?: "top" | "right" | "bottom" | "left";
  children: ReactNode;
}) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="tip anim-fade" side={side} sideOffset={6} collisionPadding={8}>
          {text}
          {keys && <Kbd>{keys}</Kbd>}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
