import { type FormEvent, useState } from "react";
import { ApiError } from "@/api/errors";
import type { Me } from "@/api/types";
import { common } from "@/lib/messages/common";
import { start } from "@/lib/messages/start";
import { minPassword } from "@/lib/password";
import { Button } from "@/ui/button";
import { Field, Input } from "@/ui/field";
import { Problem } from "@/ui/states";
import { NewPassword } from "./password";
import { useSetup } from "./queries";

const words = start.setup.account;

/** A user name made from a person's name, until the person types one. */
export function suggestUser(name: string): string {
  const first = name.trim().split(/\s+/)[0] ?? "";
  return first
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, "");
}

/** Creates the first account with the one-time code the server printed. */
export function SetupAccount({ code: given, onDone }: { code: string; onDone: (me: Me) => void }) {
  const [name, setName] = useState("");
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState(given);
  const setup = useSetup();
  const chosen = user || suggestUser(name);
  const ready = chosen !== "" && code.trim() !== "" && password.length >= minPassword;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { code: code.trim(), user: chosen, password, ...(name.trim() ? { name: name.trim() } : {}) };
    const me = await setup.mutateAsync(body).catch(() => undefined);
    if (me) onDone(me);
  };

  const param = setup.error instanceof ApiError ? setup.error.param : undefined;
  const errorOf = (field: string) => (param === field && setup.error ? setup.error.message : undefined);
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      <Field label={words.name} help={words.nameHelp} error={errorOf("name")}>
        {(control) => (
          <Input
            large
            autoFocus
            autoComplete="name"
            value={name}
            onChange={(event) => setName(event.target.value)}
            {...control}
          />
        )}
      </Field>
      <Field label={words.user} help={words.userHelp} error={errorOf("user")}>
        {(control) => (
          <Input
            large
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            value={chosen}
            onChange={(event) => setUser(event.target.value)}
            {...control}
          />
        )}
      </Field>
      <NewPassword
        label={words.password}
        required
        value={password}
        personal={[name, chosen]}
        error={errorOf("password")}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Field label={words.code} help={given ? undefined : words.codeHelp} error={errorOf("code")}>
        {(control) => (
          <Input
            large
            className="mono"
            autoComplete="off"
            spellCheck={false}
            required
            value={code}
            onChange={(event) => setCode(event.target.value)}
            {...control}
          />
        )}
      </Field>
      {setup.error && !["name", "user", "password", "code"].includes(param ?? "") && (
        <Problem error={setup.error} title={common.errors.title} />
      )}
      <Button type="submit" look="solid" large full busy={setup.isPending} disabled={!ready}>
        {setup.isPending ? words.busy : words.submit}
      </Button>
    </form>
  );
}
