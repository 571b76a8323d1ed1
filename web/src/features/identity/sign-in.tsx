import { useQuery } from "@tanstack/react-query";
import { Fingerprint } from "lucide-react";
import { type FormEvent, useState } from "react";
import { ApiError } from "@/api/errors";
import type { Me, SignInRequest } from "@/api/types";
import { common } from "@/lib/messages/common";
import { start } from "@/lib/messages/start";
import { Button } from "@/ui/button";
import { Checkbox, Field, Input } from "@/ui/field";
import { Problem } from "@/ui/states";
import { Password } from "./password";
import { oidcStart, optionsQuery, usePasskeySignIn, useSignIn } from "./queries";

const words = start.login;

/** Password first, then the second step where the server asks for it. */
export function SignIn({ user: known, onDone }: { user?: string; onDone: (me: Me) => void }) {
  const [user, setUser] = useState(known ?? "");
  const [password, setPassword] = useState("");
  const [second, setSecond] = useState(false);
  const signIn = useSignIn();

  const submit = async (extra: Partial<SignInRequest> = {}) => {
    const outcome = await signIn
      .mutateAsync({ user: user.trim(), password, ...extra })
      .catch(() => undefined);
    if (!outcome) return;
    if ("me" in outcome) onDone(outcome.me);
    else setSecond(true);
  };

  if (second) {
    const back = () => {
      signIn.reset();
      setSecond(false);
      setPassword("");
    };
    return (
      <SecondStep
        busy={signIn.isPending}
        error={signIn.error}
        onSubmit={(extra) => void submit(extra)}
        onBack={back}
      />
    );
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <OtherWays onDone={onDone} />
      <Field label={words.user}>
        {(control) => (
          <Input
            large
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            autoFocus={!known}
            value={user}
            onChange={(event) => setUser(event.target.value)}
            {...control}
          />
        )}
      </Field>
      <Password
        label={words.password}
        autoComplete="current-password"
        required
        autoFocus={!!known}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Refusal error={signIn.error} />
      <Button
        type="submit"
        look="solid"
        large
        full
        busy={signIn.isPending}
        disabled={user.trim() === "" || password === ""}
      >
        {signIn.isPending ? words.busy : words.submit}
      </Button>
    </form>
  );
}

function OtherWays({ onDone }: { onDone: (me: Me) => void }) {
  const options = useQuery(optionsQuery);
  const passkey = usePasskeySignIn();
  if (!options.data?.oidc && !options.data?.passkey) return null;
  return (
    <>
      {options.data.passkey && (
        <Button
          large
          full
          busy={passkey.isPending}
          onClick={() => passkey.mutate(undefined, { onSuccess: onDone })}
        >
          <Fingerprint aria-hidden="true" />
          {words.passkey}
        </Button>
      )}
      {passkey.error && <Refusal error={passkey.error} />}
      {options.data.oidc && (
        <a className="btn lg full" href={oidcStart}>
          {words.oidc(options.data.oidc_name || words.oidcDefault)}
        </a>
      )}
      <div className="flex items-center gap-3 text-small text-fg-3">
        <span className="hr flex-1" />
        {words.or}
        <span className="hr flex-1" />
      </div>
    </>
  );
}

function SecondStep({
  busy,
  error,
  onSubmit,
  onBack,
}: {
  busy: boolean;
  error: unknown;
  onSubmit: (extra: Partial<SignInRequest>) => void;
  onBack: () => void;
}) {
  const [recovery, setRecovery] = useState(false);
  const [code, setCode] = useState("");
  const [trust, setTrust] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const answer = recovery ? { recovery_code: code.trim() } : { totp: code.replace(/\s/g, "") };
    onSubmit({ ...answer, ...(trust ? { trust_device: true } : {}) });
  };
  const swap = () => {
    setRecovery(!recovery);
    setCode("");
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <div>
        <h2>{words.totpTitle}</h2>
        <p className="text-fg-2">{recovery ? words.recoveryBody : words.totpBody}</p>
      </div>
      <Field key={String(recovery)} label={recovery ? words.recovery : words.totp}>
        {(control) => (
          <Input
            large
            className="mono text-title tracking-wider"
            autoFocus
            required
            autoComplete="one-time-code"
            inputMode={recovery ? "text" : "numeric"}
            spellCheck={false}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            {...control}
          />
        )}
      </Field>
      <Checkbox label={words.trust} checked={trust} onChange={(event) => setTrust(event.target.checked)} />
      <Refusal error={error} />
      <Button type="submit" look="solid" large full busy={busy} disabled={code.trim() === ""}>
        {busy ? words.busy : words.verify}
      </Button>
      <div className="flex flex-wrap justify-between gap-2">
        <Button look="ghost" onClick={swap}>
          {recovery ? words.useTotp : words.useRecovery}
        </Button>
        <Button look="ghost" onClick={onBack}>
          {words.other}
        </Button>
      </div>
    </form>
  );
}

/** A wrong password is one line; anything else is a problem with its hint and id. */
function Refusal({ error }: { error: unknown }) {
  if (!error) return null;
  if (error instanceof ApiError && error.status === 401) {
    return (
      <p role="alert" className="text-bad">
        {error.message || words.wrong} {error.hint}
      </p>
    );
  }
  return <Problem error={error} title={common.errors.title} />;
}
