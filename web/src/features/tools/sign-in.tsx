import { useState } from "react";
import { common } from "@/lib/messages/common";
import { tools } from "@/lib/messages/tools";
import { Button } from "@/ui/button";
import { toast } from "@/ui/toast";
import { type Server, useSignIn, useSignOut } from "./queries";

const words = tools.servers;

const failed = (error: unknown) => toast.failed(error, common.errors.title);

/** Until when a sign-in is good, in words. */
export function standing(server: Pick<Server, "signed_in" | "sign_in_ends" | "sign_in_renews">): string {
  if (!server.signed_in) return words.signedOut;
  if (!server.sign_in_ends || server.sign_in_renews) return words.signedIn;
  return words.signedInUntil(new Date(server.sign_in_ends).toLocaleString());
}

/** A person's sign-in at a remote server. The page to go on at is a link: a window that opens by itself is blocked. */
export function SignIn({ server }: { server: Server }) {
  const begin = useSignIn();
  const end = useSignOut();
  const [page, setPage] = useState<string>();
  const good = server.signed_in && server.state !== "needs_signin";
  return (
    <p className={good ? "flex items-center gap-2 text-small text-fg-2" : "ban warn"}>
      <span className="flex-1">{standing(server)}</span>
      {page && !good ? (
        <a className="underline" href={page} target="_blank" rel="noreferrer">
          {words.goOn}
        </a>
      ) : (
        !good && (
          <Button
            busy={begin.isPending}
            onClick={() =>
              begin.mutate(server.name, { onSuccess: (answer) => setPage(answer.url), onError: failed })
            }
          >
            {words.signIn}
          </Button>
        )
      )}
      {server.signed_in && (
        <Button
          look="ghost"
          busy={end.isPending}
          onClick={() => end.mutate(server.name, { onSuccess: () => setPage(undefined), onError: failed })}
        >
          {words.signOut}
        </Button>
      )}
    </p>
  );
}
