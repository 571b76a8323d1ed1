import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { shell } from "@/lib/messages/shell";
import { onDemand } from "@/lib/on-demand";
import { Boundary } from "@/ui/boundary";
import { Toasts } from "@/ui/toast";
import { Banner } from "./banner";
import { Later } from "./later";
import { LiveRoot } from "./live";
import { usePhone, useTablet } from "./media";
import { Session, useCan, useMe } from "./session";
import { useCommands, useKeyboard } from "./shortcuts";
import { Sidebar, usePages } from "./sidebar";
import { useShell } from "./store";
import { Tabs } from "./tabs";

const Palette = onDemand(() => import("./palette"), "default");
const Help = onDemand(() => import("./help"), "default");
const Resume = onDemand(() => import("@/features/push/resume"), "default");

/** The frame of every page a signed-in person sees. */
export function Shell() {
  return (
    <>
      <Session>
        <LiveRoot>
          <Frame />
        </LiveRoot>
      </Session>
      <Toasts />
    </>
  );
}

function Frame() {
  const { rail, palette, help, set } = useShell();
  const phone = usePhone();
  const me = useMe();
  const narrow = useTablet() || rail;
  const path = useRouterState({ select: (state) => state.location.pathname });
  useKeyboard();
  useShellCommands();
  // Says from outside which page is there; a page whose code is still fetched is not.
  const shown = useRouterState({ select: (state) => state.resolvedLocation?.href });
  useEffect(() => {
    if (shown) document.documentElement.dataset.ready = shown.split(/[?#]/)[0];
  }, [shown]);
  return (
    <div className={narrow ? "app rail" : "app"}>
      <a className="skip" href="#main">
        {shell.skip}
      </a>
      {!phone && <Sidebar rail={narrow} />}
      <main className="sheet" id="main" tabIndex={-1}>
        <Banner />
        <Boundary key={path}>
          <Outlet />
        </Boundary>
      </main>
      {phone && <Tabs />}
      <Suspense>
        {palette !== undefined && <Palette initial={palette} onClose={() => set({ palette: undefined })} />}
        {help && <Help onClose={() => set({ help: false })} />}
      </Suspense>
      {globalThis.Notification?.permission === "granted" && (
        <Later>
          <Resume user={me.user.id} />
        </Later>
      )}
    </div>
  );
}

/** What keys do on every page; a page may answer before the shell does. */
function useShellCommands() {
  const navigate = useNavigate();
  const can = useCan();
  const { rail, set } = useShell();
  const pages = usePages().slice(0, 9);
  useCommands({
    ...Object.fromEntries(pages.map(({ to }, i) => [`page-${i + 1}`, () => void navigate({ to })])),
    palette: () => set({ palette: "" }),
    help: () => set({ help: true }),
    sidebar: () => set({ rail: !rail }),
    composer: () => void navigate({ to: "/chat" }),
    ...(can("conversations:write") ? { "new-chat": () => void navigate({ to: "/chat" }) } : {}),
    "go-overview": () => void navigate({ to: "/" }),
    "go-inbox": () => void navigate({ to: "/inbox" }),
    "go-chat": () => void navigate({ to: "/chat" }),
    "go-settings": () => void navigate({ to: "/settings" }),
  });
}
