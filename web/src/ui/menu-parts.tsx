import clsx from "clsx";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { Kbd } from "./bits";

/** An open menu with its trigger; mounted when it is first asked for. */
export function OpenMenu({
  trigger,
  children,
  align = "start",
  side = "bottom",
}: {
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom" | "right";
}) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu anim-pop"
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export function MenuItem({
  icon,
  children,
  keys,
  bad,
  disabled,
  onSelect,
}: {
  icon?: ReactNode;
  children: ReactNode;
  keys?: string;
  bad?: boolean;
  disabled?: boolean;
  onSelect: () => void;
}) {
  return (
    <DropdownMenu.Item className={clsx("mi", bad && "bad")} disabled={disabled ?? false} onSelect={onSelect}>
      {icon}
      <span className="trunc flex-1">{children}</span>
      {keys && <Kbd>{keys}</Kbd>}
    </DropdownMenu.Item>
  );
}

/** One choice of several; the chosen one carries a mark and is announced. */
export function MenuChoices({
  value,
  onChange,
  options,
}: {
  value: string;
  onChange: (value: string) => void;
  options: readonly { value: string; label: string; icon?: ReactNode }[];
}) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onChange}>
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className="mi">
          {option.icon}
          <span className="trunc flex-1">{option.label}</span>
          <DropdownMenu.ItemIndicator>
            <span className="dot ok block" />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className="mlabel">{children}</DropdownMenu.Label>
);

export const MenuSeparator = () => <DropdownMenu.Separator className="msep" />;
