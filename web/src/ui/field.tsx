import clsx from "clsx";
import { Eye, EyeOff, TriangleAlert } from "lucide-react";
import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { common } from "@/lib/messages/common";

type Control = { id: string; "aria-describedby"?: string; "aria-invalid"?: true };

/** Label above, help below, the error in words under it. */
export function Field({
  label,
  help,
  error,
  optional,
  children,
}: {
  label: string;
  help?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  children: (control: Control) => ReactNode;
}) {
  const id = useId();
  const notes = [help ? `${id}-help` : "", error ? `${id}-err` : ""].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {optional && <span className="font-normal text-fg-3">({common.optional})</span>}
      </label>
      {children({
        id,
        ...(notes ? { "aria-describedby": notes } : {}),
        ...(error ? { "aria-invalid": true } : {}),
      })}
      {help && (
        <span className="help" id={`${id}-help`}>
          {help}
        </span>
      )}
      {error && (
        <span className="err" id={`${id}-err`} role="alert">
          <TriangleAlert aria-hidden="true" />
          {error}
        </span>
      )}
    </div>
  );
}

export function Input({ large, className, ...rest }: ComponentProps<"input"> & { large?: boolean }) {
  return <input className={clsx("in", large && "lg", className)} {...rest} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea className={clsx("in", className)} {...rest} />;
}

/** A native select: works with every keyboard, screen reader and phone. */
export function Select({
  options,
  className,
  ...rest
}: ComponentProps<"select"> & {
  options: readonly { value: string; label: string }[];
}) {
  return (
    <select className={clsx("in", className)} {...rest}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

/** A password field that can be read, because typing blind helps nobody. */
export function PasswordInput({
  showLabel,
  hideLabel,
  className,
  ...rest
}: ComponentProps<"input"> & {
  showLabel: string;
  hideLabel: string;
}) {
  const [shown, setShown] = useState(false);
  return (
    <span className="relative block">
      <input className={clsx("in lg pr-10", className)} type={shown ? "text" : "password"} {...rest} />
      <button
        type="button"
        className="btn ghost icon absolute right-1 top-1/2 -translate-y-1/2"
        aria-label={shown ? hideLabel : showLabel}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      >
        {shown ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
      </button>
    </span>
  );
}

export function Checkbox({
  label,
  help,
  ...rest
}: ComponentProps<"input"> & { label: ReactNode; help?: string }) {
  return (
    <label className="check">
      <input type="checkbox" {...rest} />
      <span className="flex min-w-0 flex-col">
        <span>{label}</span>
        {help && <span className="text-small text-fg-3">{help}</span>}
      </span>
    </label>
  );
}

export function Switch({ label, ...rest }: Omit<ComponentProps<"input">, "type"> & { label: string }) {
  return (
    <input
      type="checkbox"
      role="switch"
      aria-checked={rest.checked}
      className="switch"
      aria-label={label}
      {...rest}
    />
  );
}
