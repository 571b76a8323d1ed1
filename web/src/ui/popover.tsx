import { Popover as Radix } from "radix-ui";
import type { ReactElement, ReactNode } from "react";

/** A small panel that opens from its trigger and takes the focus; Escape and a click outside close it. */
export function Popover({
  trigger,
  label,
  children,
  side = "top",
  align = "end",
  opened = false,
}: {
  trigger: ReactElement;
  label: string;
  children: ReactNode;
  side?: "top" | "bottom";
  align?: "start" | "end";
  /** Open from the beginning, for one that is made when it is asked for. */
  opened?: boolean;
}) {
  return (
    <Radix.Root defaultOpen={opened}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="popover anim-pop"
          aria-label={label}
          side={side}
          align={align}
          sideOffset={8}
          collisionPadding={12}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
