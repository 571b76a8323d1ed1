import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createContext, type ReactNode, Suspense, use, useEffect, useRef, useState } from "react";
import { whenSignedOut } from "@/api/client";
import type { Me } from "@/api/types";
import { outbox } from "@/features/conversations/outbox";
import { identityKeys, meQuery, signOut, switchWorkspace } from "@/features/identity/me/queries";
import { can } from "@/features/identity/permissions";
import { common } from "@/lib/messages/common";
import { shell } from "@/lib/messages/shell";
import { onDemand } from "@/lib/on-demand";
import { Dialog } from "@/ui/dialog";
import { toast } from "@/ui/toast";

const SignIn = onDemand(() => import("@/features/identity/sign-in"), "SignIn");

const Context = createContext<Me | undefined>(undefined);

/** Who is signed in. Only below the shell, where somebody always is. */
export function useMe(): Me {
  const me = use(Context);
  if (!me) throw new Error("useMe needs a Session above it");
  return me;
}

/** Whether the person may do something; what they may not do is not shown. */
export function useCan(): (permission: string) => boolean {
  const me = useMe();
  return (permission) => can(me, permission);
}

/** Holds the signed-in person. When the session ends elsewhere, sign-in opens over the page and drafts stay. */
export function Session({ children }: { children: ReactNode }) {
  const cache = useQueryClient();
  const query = useQuery(meQuery);
  const last = useRef<Me>(undefined);
  const [lost, setLost] = useState(false);
  if (query.data) last.current = query.data;
  const me = query.data ?? last.current;

  useEffect(() => {
    whenSignedOut(() => setLost(true));
    return () => whenSignedOut(undefined);
  }, []);

  if (!me) return null;
  const back = (again: Me) => {
    setLost(false);
    if (again.user.id !== me.user.id) window.location.assign("/");
    else void cache.invalidateQueries();
  };
  return (
    <Context value={me}>
      {children}
      {(lost || query.data === null) && (
        <Dialog
          open
          sticky
          onClose={() => undefined}
          title={shell.signedOut.title}
          body={shell.signedOut.body}
        >
          <Suspense>
            <SignIn user={me.user.user} onDone={back} />
          </Suspense>
        </Dialog>
      )}
    </Context>
  );
}

/** Signs out and forgets what was kept on this device. The page starts anew, so nothing stays in memory. */
export function useSignOut(): () => void {
  return () => {
    whenSignedOut(undefined);
    signOut().then(
      () => {
        outbox.forget();
        window.location.assign("/login");
      },
      (error) => toast.failed(error, common.errors.title),
    );
  };
}

/** Moves to another workspace: everything on screen belongs to the old one and is dropped. */
export function useSwitchWorkspace(): (id: string) => void {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return (id) => {
    switchWorkspace(id).then(
      async (me) => {
        await navigate({ to: "/" });
        cache.clear();
        cache.setQueryData(identityKeys.me(), me);
        toast.done(shell.workspace.switched(me.workspace.name));
      },
      (error) => toast.failed(error, common.errors.title),
    );
  };
}
