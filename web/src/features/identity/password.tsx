import type { ComponentProps } from "react";
import { start } from "@/lib/messages/start";
import { minPassword, strength } from "@/lib/password";
import { Field, PasswordInput } from "@/ui/field";

const words = start.setup;
const tones = ["", "var(--bad-edge)", "var(--warn-edge)", "var(--ok-edge)", "var(--ok-edge)"];

/** A field for a password to sign in with. */
export function Password({
  label,
  error,
  ...rest
}: ComponentProps<"input"> & { label: string; error?: string | undefined }) {
  return (
    <Field label={label} error={error}>
      {(control) => <PasswordInput showLabel={words.show} hideLabel={words.hide} {...control} {...rest} />}
    </Field>
  );
}

/** A field for a new password, with a meter that says what would help. */
export function NewPassword({
  label,
  value,
  personal = [],
  error,
  ...rest
}: ComponentProps<"input"> & {
  label: string;
  value: string;
  personal?: readonly string[];
  error?: string | undefined;
}) {
  const { score, tooShort } = strength(value, personal);
  return (
    <div className="flex flex-col gap-1.5">
      <Password
        label={label}
        error={error}
        autoComplete="new-password"
        value={value}
        minLength={minPassword}
        {...rest}
      />
      <div className="flex items-center gap-2">
        <meter className="sr-only" min={0} max={4} value={score} aria-label={words.strengthLabel} />
        <span className="flex flex-1 gap-1" aria-hidden="true">
          {[1, 2, 3, 4].map((step) => (
            <span
              key={step}
              className="h-1 flex-1 rounded-s"
              style={{ background: step <= score ? tones[score] : "var(--bg-active)" }}
            />
          ))}
        </span>
        <span className="text-micro text-fg-3" aria-live="polite">
          {value !== "" && (tooShort ? "" : words.strength[score])}
        </span>
      </div>
      <span className="text-small text-fg-3">{tooShort ? words.tooShort(minPassword) : ""}</span>
    </div>
  );
}
