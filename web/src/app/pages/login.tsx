import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { setupQuery } from "@/features/identity/queries";
import { SignIn } from "@/features/identity/sign-in";
import { common } from "@/lib/messages/common";
import { start } from "@/lib/messages/start";
import { Mark } from "@/ui/bits";

/** Sign-in. Where the person wanted to go is kept in the address. */
export default function LoginRoute() {
  const { next } = useSearch({ strict: false });
  const navigate = useNavigate();
  const setup = useQuery(setupQuery);
  return (
    <div className="hero">
      <main className="flex w-full max-w-[400px] flex-col gap-5">
        <div className="flex flex-col items-center gap-4 text-center">
          <Mark large />
          <h1 className="text-h1 font-semibold tracking-tight">
            {start.login.headline(setup.data?.workspace || common.product)}
          </h1>
        </div>
        <div className="panel">
          <SignIn onDone={() => void navigate({ href: safeNext(next), replace: true })} />
        </div>
      </main>
    </div>
  );
}

/** Only addresses of this page: what comes after sign-in must never lead elsewhere. */
export function safeNext(next: string | undefined): string {
  return next && /^\/(?![/\\])/.test(next) && !next.startsWith("/login") ? next : "/";
}
