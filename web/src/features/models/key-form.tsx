import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError } from "@/api/errors";
import type { Provider } from "@/api/types";
import { models as words } from "@/lib/messages/models";
import { Field, Input, PasswordInput, Select } from "@/ui/field";
import { useAddKey } from "./queries";

/** The providers a key can be pasted for. */
export function keyProviders(all: readonly Provider[]): Provider[] {
  return all.filter((one) => one.variables.length > 0 && !one.local);
}

/** A provider, its key, and the reason in words when the key does not work. */
export function KeyForm({
  id,
  providers,
  named,
  onDone,
  children,
}: {
  id?: string;
  providers: readonly Provider[];
  /** Also asks for a name. */
  named?: boolean;
  onDone: (provider: string) => void;
  /** The buttons below. */
  children: (busy: boolean) => ReactNode;
}) {
  const choices = keyProviders(providers);
  const [provider, setProvider] = useState(choices[0]?.provider ?? "");
  const [key, setKey] = useState("");
  const [name, setName] = useState("");
  const add = useAddKey();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const saved = await add
      .mutateAsync({ provider, key: key.trim(), ...(name.trim() ? { name: name.trim() } : {}) })
      .catch(() => undefined);
    if (saved) onDone(provider);
  };
  return (
    <form id={id} className="flex flex-col gap-3" onSubmit={(event) => void submit(event)}>
      <Field label={words.provider}>
        {(control) => (
          <Select
            options={choices.map((one) => ({ value: one.provider, label: one.title }))}
            value={provider}
            onChange={(event) => {
              setProvider(event.target.value);
              add.reset();
            }}
            {...control}
          />
        )}
      </Field>
      <Field label={words.key} help={words.keyHelp} error={reasonOf(add.error)}>
        {(control) => (
          <PasswordInput
            required
            autoComplete="off"
            spellCheck={false}
            showLabel={words.showKey}
            hideLabel={words.hideKey}
            value={key}
            onChange={(event) => {
              setKey(event.target.value);
              add.reset();
            }}
            {...control}
          />
        )}
      </Field>
      {named && (
        <Field label={words.name} help={words.nameHelp} optional>
          {(control) => (
            <Input
              autoComplete="off"
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.target.value)}
              {...control}
            />
          )}
        </Field>
      )}
      {children(add.isPending)}
    </form>
  );
}

/** What is wrong and what to do, in one line. */
export function reasonOf(error: unknown): string | undefined {
  if (!error) return undefined;
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof ApiError && error.hint ? `${text} ${error.hint}` : text;
}
