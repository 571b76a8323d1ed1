import { useQuery } from "@tanstack/react-query";
import { Check, ChevronDown, Fingerprint } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { isCode } from "@/api/errors";
import { common } from "@/lib/messages/common";
import { guard } from "@/lib/messages/guard";
import { Kbd } from "@/ui/bits";
import { Button } from "@/ui/button";
import { HoldButton } from "@/ui/hold";
import { Menu, MenuItem } from "@/ui/menu";
import { Problem } from "@/ui/states";
import { useAround, useNames } from "./around";
import { Go } from "./go";
import { onApprovalKey } from "./keys";
import { type Approval, confirmationQuery } from "./queries";
import { type Answer, useAnswerApproval } from "./safety/queries";

const words = guard.card;
const day = 24 * 60;

/** How far a yes may reach, and for how many minutes. */
const scopes = [
  { scope: "time", minutes: 60 },
  { scope: "project", minutes: 90 * day },
  { scope: "always", minutes: 90 * day },
] as const;

/** The buttons of an approval; afterwards only what went wrong with them. */
export function Answers({ approval, open, keys }: { approval: Approval; open: boolean; keys: boolean }) {
  const { mayAnswer, mayOverdraw, me } = useAround();
  const names = useNames();
  const answer = useAnswerApproval();
  const [replying, setReplying] = useState(false);
  const coarse = useMatch("(pointer: coarse)");
  const online = useOnline();
  const send = (body: Omit<Answer, "via">) =>
    answer.mutate({ id: approval.id, ...body, via: coarse ? "phone" : "web" });
  const failed = answer.error && <Failure error={answer.error} open={open} />;
  if (!open || !mayAnswer) return failed || null;

  const own = approval.two_person && approval.requested_by === me;
  const money = approval.kind === "budget";
  if (!online) return <p className="text-fg-2">{words.offline}</p>;
  return (
    <>
      {approval.two_person && (
        <p className="text-small text-fg-2">
          {own ? words.twoPersonOwn : words.twoPerson(names.user(approval.requested_by))}{" "}
          {own && (
            <Go href="/safety/policy" className="link">
              {words.twoPersonOff}
            </Go>
          )}
        </p>
      )}
      {money && <p className="text-small text-fg-2">{mayOverdraw ? words.budgetYes : words.budgetOther}</p>}
      {mayOverdraw || !money ? <AskedForPasskey approval={approval} /> : null}
      {failed}
      {replying ? (
        <Reply busy={answer.isPending} onCancel={() => setReplying(false)} onSend={send} />
      ) : (
        <Choices
          approval={approval}
          mayApprove={!own && (mayOverdraw || !money)}
          coarse={coarse}
          keys={keys && !coarse}
          busy={answer.isPending}
          onSend={send}
          onReply={() => setReplying(true)}
        />
      )}
    </>
  );
}

/** Says beforehand that a yes asks for a passkey, where it does. */
function AskedForPasskey({ approval }: { approval: Approval }) {
  const { data } = useQuery({ ...confirmationQuery, enabled: !!approval.command });
  if (!approval.command || !data?.approvals || data.passkeys === 0 || data.confirmed_until) return null;
  return (
    <p className="row text-small text-fg-2">
      <Fingerprint aria-hidden="true" className="size-4 flex-none" />
      {words.passkey}
    </p>
  );
}

function Failure({ error, open }: { error: unknown; open: boolean }) {
  const late = ["approved", "denied", "used", "answered"].some((one) => isCode(error, `approval_${one}`));
  if (late || isCode(error, "approval_expired"))
    return (
      <p className="font-medium" role="alert">
        {late ? words.already : words.tooLate}
      </p>
    );
  return open ? <Problem error={error} title={common.errors.title} /> : null;
}

function Choices({
  approval,
  mayApprove,
  coarse,
  keys,
  busy,
  onSend,
  onReply,
}: {
  approval: Approval;
  mayApprove: boolean;
  coarse: boolean;
  keys: boolean;
  busy: boolean;
  onSend: (body: Omit<Answer, "via">) => void;
  onReply: () => void;
}) {
  const approve = useRef<HTMLDivElement>(null);
  const deny = () => onSend({ decision: "deny" });
  const yes = () => onSend({ decision: "approve" });
  // The keys of the list this card stands in: A goes to the button, and Enter then answers.
  useEffect(() =>
    onApprovalKey(approval.id, {
      a: () => approve.current?.querySelector<HTMLButtonElement>("button:last-of-type")?.focus(),
      d: deny,
      r: onReply,
    }),
  );
  const no = (
    <>
      <Button look={coarse ? "plain" : "ghost"} large={coarse} busy={busy} onClick={deny}>
        {words.deny}
        {keys && <Kbd>D</Kbd>}
      </Button>
      <Button look={coarse ? "plain" : "ghost"} large={coarse} busy={busy} onClick={onReply}>
        {words.denyReply}
      </Button>
    </>
  );
  const money = approval.kind === "budget";
  const more = approval.severity !== "critical" && !money && mayApprove && (
    <Wider approval={approval} busy={busy} large={coarse} onSend={onSend} />
  );
  const label = (
    <>
      <Check aria-hidden="true" />
      {money ? words.approveRun : coarse ? words.hold : words.approve}
    </>
  );
  if (coarse)
    return (
      <div className="row acts-row">
        {mayApprove && (
          <div ref={approve} className="flex">
            <HoldButton
              label={label}
              holding={words.holding}
              confirm={money ? words.approveRun : words.approve}
              cancel={words.notNow}
              busy={busy}
              onDone={yes}
            />
          </div>
        )}
        <div className="pair">{no}</div>
        {more}
      </div>
    );
  return (
    <div className="row justify-end">
      {no}
      {more}
      {mayApprove && (
        <div ref={approve} className="flex">
          <Button look="solid" busy={busy} onClick={yes}>
            {money ? words.approveRun : words.approve}
            {keys && <Kbd>A</Kbd>}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Answers that reach beyond this one call; each says how far and until when. */
function Wider({
  approval,
  busy,
  large,
  onSend,
}: {
  approval: Approval;
  busy: boolean;
  large: boolean;
  onSend: (body: Omit<Answer, "via">) => void;
}) {
  return (
    <div className="pair flex gap-2">
      {approval.run && (
        <Button
          large={large}
          busy={busy}
          title={words.scopeHelp.run}
          onClick={() => onSend({ decision: "approve", scope: "run" })}
        >
          {words.allow.run}
        </Button>
      )}
      <Menu
        align="end"
        trigger={
          <button type="button" className={large ? "btn lg" : "btn"} disabled={busy}>
            {words.allowLonger}
            <ChevronDown aria-hidden="true" />
          </button>
        }
      >
        {scopes.map(({ scope, minutes }) => (
          <MenuItem key={scope} onSelect={() => onSend({ decision: "approve", scope, minutes })}>
            {words.allow[scope]}
          </MenuItem>
        ))}
      </Menu>
    </div>
  );
}

function Reply({
  busy,
  onCancel,
  onSend,
}: {
  busy: boolean;
  onCancel: () => void;
  onSend: (body: Omit<Answer, "via">) => void;
}) {
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSend({ decision: "deny", ...(text.trim() ? { words: text.trim() } : {}) });
  };
  return (
    <form className="flex flex-col gap-2" onSubmit={submit}>
      <textarea
        className="in"
        rows={2}
        // biome-ignore lint/a11y/noAutofocus: it was just asked for
        autoFocus
        aria-label={words.reply}
        placeholder={words.replyPlaceholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && onCancel()}
      />
      <div className="row justify-end">
        <Button look="ghost" onClick={onCancel}>
          {common.actions.cancel}
        </Button>
        <Button type="submit" look="bad" busy={busy}>
          {words.deny}
        </Button>
      </div>
    </form>
  );
}

function useMatch(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}

function useOnline(): boolean {
  return useSyncExternalStore(
    (listener) => {
      for (const kind of ["online", "offline"]) addEventListener(kind, listener);
      return () => {
        for (const kind of ["online", "offline"]) removeEventListener(kind, listener);
      };
    },
    () => navigator.onLine,
  );
}
