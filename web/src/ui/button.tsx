import clsx from "clsx";
import type { ComponentProps, ReactNode } from "react";
import { Tip } from "./tooltip";

type Look = "plain" | "solid" | "ghost" | "bad" | "accent";
type Props = ComponentProps<"button"> & { look?: Look; large?: boolean; full?: boolean; busy?: boolean };

/** A labelled button. `solid` is the one main action of a view. */
export function Button({ look = "plain", large, full, busy, className, disabled, ...rest }: Props) {
  return (
    <button
      type="button"
      className={clsx("btn", look !== "plain" && look, large && "lg", full && "full", className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    />
  );
}

type IconProps = Omit<Props, "children" | "large" | "full"> & {
  label: string;
  keys?: string;
  children: ReactNode;
};

/** A button that is only an icon; its label is the accessible name and the tooltip. */
export function IconButton({ label, keys, look = "ghost", busy, className, disabled, ...rest }: IconProps) {
  return (
    <Tip text={label} keys={keys}>
      <button
        type="button"
        aria-label={label}
        className={clsx("btn icon", look !== "plain" && look, className)}
        disabled={disabled || busy}
        {...rest}
      />
    </Tip>
  );
}
