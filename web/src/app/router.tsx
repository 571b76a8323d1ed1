import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Outlet,
  redirect,
  useRouter,
} from "@tanstack/react-router";
import type { ComponentType } from "react";
import { meQuery, setupQuery } from "@/features/identity/me/queries";
import type { TraceFilter } from "@/features/traces/queries";
import { common } from "@/lib/messages/common";
import { arrive } from "@/lib/on-demand";
import { Empty, Problem, Skeleton } from "@/ui/states";
import { Shell } from "./shell";
import { useAppearance } from "./theme";

type Context = { cache: QueryClient };

const root = createRootRouteWithContext<Context>()({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: Failed,
});

function Root() {
  useAppearance();
  return <Outlet />;
}

/** Pages that need somebody signed in. Nobody there: first run goes to set-up, everyone else to sign-in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  pendingComponent: () => <Skeleton rows={5} className="flex flex-col gap-3 p-10" />,
  pendingMs: 0,
  errorComponent: Failed,
  beforeLoad: async ({ context: { cache }, location }) => {
    if (await cache.ensureQueryData(meQuery)) return;
    const setup = await cache.fetchQuery(setupQuery);
    if (setup.needed) throw redirect({ to: "/setup", hash: location.hash });
    throw redirect({ to: "/login", search: location.href === "/" ? {} : { next: location.href } });
  },
});

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Keeps only the search parameters a page knows. */
function only(keys: readonly string[], search: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(keys.flatMap((key) => (text(search[key]) ? [[key, String(search[key])]] : [])));
}

/** A page whose code is fetched with the first visit. */
const page = <Module extends Record<"default", ComponentType>>(load: () => Promise<Module>) =>
  lazyRouteComponent(() => arrive(load));

const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  component: page(() => import("./pages/setup")),
});
const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (search: Record<string, unknown>): { next?: string } => only(["next"], search),
  component: page(() => import("./pages/login")),
});
const overview = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: page(() => import("./pages/overview")),
});
const newChat = createRoute({
  getParentRoute: () => shell,
  path: "/chat",
  validateSearch: (search: Record<string, unknown>): { agent?: string } => only(["agent"], search),
  component: page(() => import("./pages/chat/new-page")),
});
const allChats = createRoute({
  getParentRoute: () => shell,
  path: "/chat/all",
  validateSearch: (search: Record<string, unknown>): { q?: string; archived?: boolean } => ({
    ...only(["q"], search),
    ...(search.archived ? { archived: true } : {}),
  }),
  component: page(() => import("./pages/chat/all-page")),
});
const broadcast = createRoute({
  getParentRoute: () => shell,
  path: "/chat/broadcast",
  validateSearch: (search: Record<string, unknown>): { q?: string } => only(["q"], search),
  component: page(() => import("./pages/chat/broadcast-page")),
});
const thread = createRoute({
  getParentRoute: () => shell,
  path: "/chat/$id",
  component: page(() => import("./pages/chat/thread-page")),
});
const settings = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  component: page(() => import("./pages/settings/index")),
});

type SettingsSearch = {
  create?: boolean;
  view?: "file";
  q?: string;
  actor?: string;
  action?: string;
  resource?: string;
  result?: "ok" | "refused" | "failed";
  since?: string;
  until?: string;
};
const settingsPage = createRoute({
  getParentRoute: () => shell,
  path: "/settings/$page",
  validateSearch: (search: Record<string, unknown>): SettingsSearch => ({
    ...only(["q", "actor", "action", "resource", "result", "since", "until"], search),
    ...(search.create ? { create: true } : {}),
    ...(search.view === "file" ? { view: "file" } : {}),
  }),
  component: page(() => import("./pages/settings/index")),
});

const costs = createRoute({
  getParentRoute: () => shell,
  path: "/costs",
  validateSearch: (search: Record<string, unknown>): { month?: string; by?: string; step?: string } =>
    only(["month", "by", "step"], search),
  component: page(() => import("./pages/costs/overview")),
});
const costBudgets = createRoute({
  getParentRoute: () => shell,
  path: "/costs/budgets",
  validateSearch: (search: Record<string, unknown>): { create?: boolean } =>
    search.create ? { create: true } : {},
  component: page(() => import("./pages/costs/budgets")),
});
const costRates = createRoute({
  getParentRoute: () => shell,
  path: "/costs/rates",
  validateSearch: (search: Record<string, unknown>): { q?: string; missing?: boolean } => ({
    ...only(["q"], search),
    ...(search.missing ? { missing: true } : {}),
  }),
  component: page(() => import("./pages/costs/rates")),
});
const recordFilters = [
  "since",
  "until",
  "user",
  "key",
  "agent",
  "run",
  "conversation",
  "project",
  "workflow",
  "door",
  "model",
  "provider",
  "outcome",
] as const;
const costRecords = createRoute({
  getParentRoute: () => shell,
  path: "/costs/records",
  validateSearch: (
    search: Record<string, unknown>,
  ): { [K in (typeof recordFilters)[number] | "record"]?: string } =>
    only([...recordFilters, "record"], search),
  component: page(() => import("./pages/costs/records")),
});

const inbox = createRoute({
  getParentRoute: () => shell,
  path: "/inbox",
  validateSearch: (search: Record<string, unknown>): { tab?: string; item?: string } =>
    only(["tab", "item"], search),
  component: page(() => import("./pages/inbox")),
});
const safety = createRoute({
  getParentRoute: () => shell,
  path: "/safety",
  component: page(() => import("./pages/safety")),
});
const safetyFilters = [
  "since",
  "until",
  "verdict",
  "tool",
  "agent",
  "user",
  "run",
  "conversation",
  "rule",
  "door",
  "outcome",
  "feedback",
  "call",
  "command",
  "folder",
  "q",
] as const;
const safetyTab = createRoute({
  getParentRoute: () => shell,
  path: "/safety/$tab",
  validateSearch: (search: Record<string, unknown>): { [K in (typeof safetyFilters)[number]]?: string } =>
    only(safetyFilters, search),
  component: page(() => import("./pages/safety")),
});

const traces = createRoute({
  getParentRoute: () => shell,
  path: "/traces",
  validateSearch: (search: Record<string, unknown>): TraceFilter =>
    only(["state", "agent", "search", "took"], search) as TraceFilter,
  component: page(() => import("./pages/traces/list")),
});
const compare = createRoute({
  getParentRoute: () => shell,
  path: "/traces/compare",
  validateSearch: (search: Record<string, unknown>): { a?: string; b?: string } => only(["a", "b"], search),
  component: page(() => import("./pages/traces/compare")),
});
const cases = createRoute({
  getParentRoute: () => shell,
  path: "/traces/cases",
  component: page(() => import("./pages/traces/cases")),
});
const trace = createRoute({
  getParentRoute: () => shell,
  path: "/traces/$run",
  component: page(() => import("./pages/traces/one")),
});

const agents = createRoute({
  getParentRoute: () => shell,
  path: "/agents",
  component: page(() => import("./pages/agents/list")),
});
const agent = createRoute({
  getParentRoute: () => shell,
  path: "/agents/$agent",
  component: page(() => import("./pages/agents/one")),
});

const memory = createRoute({
  getParentRoute: () => shell,
  path: "/memory",
  validateSearch: (
    search: Record<string, unknown>,
  ): { tab?: "facts" | "review" | "graph" | "profile" | "knowledge" | "recall" } => only(["tab"], search),
  component: page(() => import("./pages/memory")),
});

const tools = createRoute({
  getParentRoute: () => shell,
  path: "/tools",
  validateSearch: (search: Record<string, unknown>): { tab?: "servers" | "tools" } => only(["tab"], search),
  component: page(() => import("./pages/tools")),
});

const plugins = createRoute({
  getParentRoute: () => shell,
  path: "/plugins",
  component: page(() => import("./pages/plugins")),
});

const tree = root.addChildren([
  setup,
  login,
  shell.addChildren([
    overview,
    newChat,
    allChats,
    broadcast,
    thread,
    settings,
    settingsPage,
    costs,
    costBudgets,
    costRates,
    costRecords,
    traces,
    compare,
    cases,
    trace,
    memory,
    agents,
    agent,
    tools,
    plugins,
    inbox,
    safety,
    safetyTab,
  ]),
]);

export function makeRouter(cache: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { cache },
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultErrorComponent: Failed,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}

function Failed({ error }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <div className="grid h-full place-items-center p-6">
      <div className="card max-w-[520px]">
        <Problem error={error} retry={() => void router.invalidate()} />
      </div>
    </div>
  );
}

function NotFound() {
  return (
    <main className="grid h-full place-items-center">
      <h1 className="sr-only">{common.errors.notFound}</h1>
      <Empty title={common.errors.notFound} body={common.errors.notFoundHint}>
        <a className="btn solid" href="/">
          {common.product}
        </a>
      </Empty>
    </main>
  );
}
