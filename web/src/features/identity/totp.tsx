import { type FormEvent, useState } from "react";
import type { Me } from "@/api/types";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { Pill } from "@/ui/bits";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Field, Input } from "@/ui/field";
import { Section } from "@/ui/page";
import { QrCode } from "@/ui/qr";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { Password } from "./password";
import { useTotpConfirm, useTotpStart, useTotpStop } from "./queries";

const words = settings.account;

/** Two-step sign-in: turn on with a scan and a code, keep the recovery codes, turn off with the password. */
export function Totp({ me }: { me: Me }) {
  const [step, setStep] = useState<"none" | "scan" | "stop">("none");
  const [codes, setCodes] = useState<string[]>();
  const begin = useTotpStart();
  const turnOn = () => begin.mutate(undefined, { onSuccess: () => setStep("scan") });
  return (
    <Section
      title={words.totp}
      actions={
        me.user.totp ? (
          <Button look="ghost" onClick={() => setStep("stop")}>
            {words.totpStop}
          </Button>
        ) : (
          <Button busy={begin.isPending} onClick={turnOn}>
            {words.totpStart}
          </Button>
        )
      }
    >
      <p className="flex items-center gap-2 text-fg-2">
        <Pill tone={me.user.totp ? "ok" : "line"}>
          {me.user.totp ? settings.users.onOff.on : settings.users.onOff.off}
        </Pill>
        {me.user.totp ? words.totpOn : words.totpOff}
      </p>
      {begin.error && <Problem error={begin.error} title={common.errors.title} />}
      {step === "scan" && begin.data && (
        <Scan
          secret={begin.data.secret}
          uri={begin.data.uri}
          onClose={() => setStep("none")}
          onDone={(list) => {
            setStep("none");
            setCodes(list);
          }}
        />
      )}
      {codes && <Recovery codes={codes} onClose={() => setCodes(undefined)} />}
      {step === "stop" && <Stop onClose={() => setStep("none")} />}
    </Section>
  );
}

function Scan({
  secret,
  uri,
  onClose,
  onDone,
}: {
  secret: string;
  uri: string;
  onClose: () => void;
  onDone: (codes: string[]) => void;
}) {
  const [code, setCode] = useState("");
  const confirm = useTotpConfirm();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await confirm.mutateAsync(code.replace(/\s/g, "")).catch(() => undefined);
    if (answer) onDone(answer.recovery_codes);
  };
  return (
    <Dialog open onClose={onClose} title={words.totp} body={words.totpScan}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <div className="flex flex-wrap gap-4">
          <QrCode text={uri} label={words.totpQr} />
          <div className="flex min-w-[180px] flex-1 flex-col gap-2">
            <span className="text-small text-fg-3">{words.totpSecret}</span>
            <div className="well flex items-center gap-1 p-1 pl-3">
              <code className="mono min-w-0 flex-1 break-all">{secret}</code>
              <CopyButton text={secret} label={common.actions.copy} />
            </div>
            <a className="link text-small" href={uri}>
              {words.totpUri}
            </a>
          </div>
        </div>
        <Field label={words.totpCode}>
          {(control) => (
            <Input
              autoFocus
              className="mono"
              inputMode="numeric"
              autoComplete="one-time-code"
              value={code}
              onChange={(event) => setCode(event.target.value)}
              {...control}
            />
          )}
        </Field>
        {confirm.error && <Problem error={confirm.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={confirm.isPending} disabled={code.trim().length < 6}>
            {words.totpConfirm}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Recovery({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <Dialog open sticky onClose={onClose} title={words.recoveryTitle} body={words.recoveryBody}>
      <ul className="well grid grid-cols-2 gap-x-6 gap-y-1 p-4">
        {codes.map((code) => (
          <li key={code} className="mono text-read">
            {code}
          </li>
        ))}
      </ul>
      <DialogActions>
        <CopyButton text={codes.join("\n")} label={words.recoveryCopy} word />
        <Button look="solid" onClick={onClose}>
          {words.recoveryDone}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Stop({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState("");
  const stop = useTotpStop();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const done = await stop.mutateAsync(password).then(
      () => true,
      () => false,
    );
    if (!done) return;
    toast.done(words.totpStopped);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.totpStop} body={words.totpStopBody}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <Password
          label={words.current}
          autoFocus
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {stop.error && <Problem error={stop.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="bad" busy={stop.isPending} disabled={password === ""}>
            {words.totpStop}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
