import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, ExternalLink } from "lucide-react";
import { useEffect } from "react";
import type { Provider } from "@/api/types";
import { common } from "@/lib/messages/common";
import { models } from "@/lib/messages/models";
import { ago } from "@/lib/time";
import { Spinner } from "@/ui/bits";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Problem, Skeleton } from "@/ui/states";
import { modelKeys, signInCodeQuery, signInStateQuery } from "./queries";

const words = models.signIn;

/** Signs in at a provider with a code that is typed on its page; the account appears once that is done. */
export function SignIn({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const cache = useQueryClient();
  const code = useQuery(signInCodeQuery(provider.provider));
  const state = useQuery({
    ...signInStateQuery(provider.provider, code.data?.sign_in ?? ""),
    enabled: code.data !== undefined,
  });
  const done = state.data?.done === true;
  useEffect(() => {
    if (done) void cache.invalidateQueries({ queryKey: modelKeys.all });
  }, [done, cache]);
  const again = () => {
    cache.removeQueries({ queryKey: ["models", "sign-in-state"] });
    void code.refetch();
  };
  const error = code.error ?? state.error;
  return (
    <Dialog open onClose={onClose} title={words.title(provider.title)} body={words.body}>
      {error != null ? (
        <Problem error={error} retry={again} title={common.errors.title} />
      ) : done ? (
        <p role="status" className="ban">
          <Check className="text-ok" aria-hidden="true" />
          {words.done(state.data?.account?.name ?? provider.title)}
        </p>
      ) : code.data ? (
        <ol className="flex flex-col gap-4">
          <li className="flex flex-col gap-2">
            <span>{words.copy}</span>
            <span className="well flex items-center justify-between gap-3 p-3">
              <span className="mono text-h1 font-semibold tracking-widest">{code.data.code}</span>
              <CopyButton text={code.data.code} label={words.copyCode} word />
            </span>
          </li>
          <li className="flex flex-col items-start gap-2">
            <span>{words.open}</span>
            <a className="btn solid" href={code.data.url} target="_blank" rel="noreferrer">
              <ExternalLink aria-hidden="true" />
              {words.go}
            </a>
          </li>
          <li className="flex items-center gap-2 text-fg-2" role="status">
            <Spinner />
            {words.waiting}
            <span className="text-small text-fg-3">{words.expires(ago(code.data.expires))}</span>
          </li>
        </ol>
      ) : (
        <Skeleton rows={3} />
      )}
      <DialogActions>
        <Button look={done ? "solid" : "plain"} onClick={onClose}>
          {done ? common.actions.done : common.actions.cancel}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
