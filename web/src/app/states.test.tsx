import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, RouterProvider } from "@tanstack/react-router";
import { cleanup, configure, render, waitFor } from "@testing-library/react";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { identityKeys } from "@/features/identity/queries";
import { person } from "@/fixtures/people";
import { type Fill, Shapes } from "@/fixtures/shape";
import { agents } from "@/lib/messages/agents";
import { common } from "@/lib/messages/common";
import { costs } from "@/lib/messages/costs";
import { guard } from "@/lib/messages/guard";
import { inbox } from "@/lib/messages/inbox";
import { memory } from "@/lib/messages/memory";
import { models } from "@/lib/messages/models";
import { overview } from "@/lib/messages/overview";
import { push } from "@/lib/messages/push";
import { settings } from "@/lib/messages/settings";
import { tools } from "@/lib/messages/tools";
import { traces } from "@/lib/messages/traces";
import { settingsPages } from "./pages/settings/pages";
import { makeRouter } from "./router";

/**
 * Where a view stands, and what it says when there is nothing; a view of one thing, or of what always is, has no
 * such words.
 */
type View = { path: string; empty?: string };

/** Every view that shows something of the server, by the route that holds it. */
const views: Record<string, readonly View[]> = {
  "/": [{ path: "/", empty: overview.now.empty }],
  "/inbox": [
    { path: "/inbox", empty: inbox.empty.needs },
    { path: "/inbox?tab=alerts", empty: inbox.empty.alerts },
    { path: "/inbox?tab=activity", empty: overview.activity.empty },
    { path: "/inbox?tab=done", empty: inbox.empty.done },
  ],
  "/traces": [{ path: "/traces", empty: traces.empty }],
  "/traces/compare": [{ path: "/traces/compare?a=run_1&b=run_2" }],
  "/traces/cases": [{ path: "/traces/cases", empty: traces.cases.empty }],
  "/traces/$run": [{ path: "/traces/run_1" }],
  "/costs": [{ path: "/costs", empty: costs.budgets.empty }],
  "/costs/budgets": [{ path: "/costs/budgets", empty: costs.budgets.empty }],
  "/costs/rates": [{ path: "/costs/rates", empty: costs.rates.empty }],
  "/costs/records": [{ path: "/costs/records", empty: costs.records.empty }],
  "/memory": [
    { path: "/memory", empty: memory.facts.empty },
    { path: "/memory?tab=review", empty: memory.review.empty },
    { path: "/memory?tab=graph", empty: memory.graph.empty },
    { path: "/memory?tab=profile", empty: memory.profile.empty },
    { path: "/memory?tab=knowledge", empty: memory.knowledge.empty },
  ],
  "/safety": [{ path: "/safety", empty: guard.waiting.empty }],
  "/safety/$tab": [
    { path: "/safety/waiting", empty: guard.waiting.empty },
    { path: "/safety/rules", empty: guard.rules.noneDecided },
    { path: "/safety/allowed", empty: guard.allowed.empty },
    { path: "/safety/policy" },
    { path: "/safety/audit", empty: guard.audit.empty },
    { path: "/safety/snapshots", empty: guard.snapshots.empty },
  ],
  "/agents": [{ path: "/agents", empty: agents.empty }],
  "/agents/$agent": [{ path: "/agents/coder" }],
  "/tools": [
    { path: "/tools", empty: tools.servers.empty },
    { path: "/tools?tab=tools", empty: tools.none },
  ],
  "/settings/$page": [
    { path: "/settings/users" },
    { path: "/settings/keys", empty: settings.keys.empty },
    { path: "/settings/models", empty: models.catalogueEmpty },
    { path: "/settings/workspaces" },
    { path: "/settings/audit", empty: settings.audit.empty },
    { path: "/settings/jobs", empty: settings.jobs.empty },
    { path: "/settings/backup", empty: settings.backup.empty },
    { path: "/settings/config", empty: settings.config.none },
    { path: "/settings/config?view=file" },
    { path: "/settings/posture", empty: settings.posture.all },
    { path: "/settings/health" },
    { path: "/settings/logs", empty: settings.logs.empty },
    { path: "/settings/account" },
    { path: "/settings/notifications", empty: push.none },
  ],
};

/** Routes whose states are told elsewhere, and where. */
const elsewhere: Record<string, string> = {
  "/setup": "the first run: e2e/flows/first-run",
  "/login": "features/identity/sign-in.test and e2e/flows/sign-in",
  "/chat": "e2e/flows: chat",
  "/chat/all": "e2e/flows: chat",
  "/chat/broadcast": "e2e/flows: chat",
  "/chat/$id": "e2e/flows: chat",
  "/share/$token": "e2e/flows: chat",
  "/plugins": "features/plugins",
  "/settings": "the list of settings pages: /settings/$page",
};
/** Settings pages that show nothing of the server. */
const local = ["appearance", "keyboard"];

const shapes = new Shapes();
const me = person("admin");
let answers: "never" | "broken" | Fill;
/** What asks for an answer that never comes is let go at the end of a test. */
let hanging: AbortController;

const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });

async function serve(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request =
    input instanceof Request ? input : new Request(new URL(String(input), location.origin), init);
  const { pathname } = new URL(request.url);
  if (pathname === "/api/v1/session") return json(200, me);
  if (pathname === "/version") return json(200, { version: "1" });
  if (answers === "never")
    return await new Promise((_, reject) => {
      hanging.signal.addEventListener("abort", () => reject(new DOMException("over", "AbortError")));
    });
  if (answers === "broken")
    return json(500, {
      error: { code: "internal", message: "It broke.", retryable: false, request_id: "req_1" },
    });
  const body = shapes.answer(pathname, answers);
  return typeof body === "string" ? new Response(body) : json(200, body ?? {});
}

/** A connection that never opens: what is shown comes from the answers alone. */
class Silent {
  static readonly OPEN = 1;
  readonly readyState = 0;
  send() {}
  close() {}
}

beforeAll(async () => {
  configure({ asyncUtilTimeout: 5000, getElementError: (message) => new Error(message ?? "") });
  // The pages are loaded once; the first test does not wait for all of them.
  await Promise.all(Object.values(import.meta.glob("./pages/**/*.tsx")).map((load) => load()));
}, 120_000);

afterEach(() => {
  cleanup();
  hanging.abort();
});

function open(path: string) {
  vi.stubGlobal("fetch", serve);
  vi.stubGlobal("WebSocket", Silent);
  hanging = new AbortController();
  localStorage.setItem("fluxway.ui", JSON.stringify({ state: { checklist: false }, version: 0 }));
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });
  const router = makeRouter(cache);
  router.update({ ...router.options, history: createMemoryHistory({ initialEntries: [path] }) });
  render(
    <QueryClientProvider client={cache}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return cache;
}

/** What the page says. Asking by role would walk the whole shell each time, and there are many views. */
const said = () => document.getElementById("main")?.textContent ?? "";
const waits = () => document.querySelector(`#main [role=status][aria-label="${common.loading}"]`) !== null;

async function shows(text: string) {
  await waitFor(() => expect(said()).toContain(text));
}

async function settled() {
  await waitFor(() => expect(said() !== "" && !waits()).toBe(true));
  expect(said()).not.toContain(common.errors.panel);
}

/** Forgets what was read and reads it again, as a page that is opened anew. */
function again(cache: QueryClient, next: typeof answers) {
  answers = next;
  const who = JSON.stringify(identityKeys.me());
  void cache.resetQueries({ predicate: ({ queryKey }) => JSON.stringify(queryKey) !== who });
}

for (const { path, empty } of Object.values(views).flat())
  test(`${path}: loading, error, ${empty ? "empty, " : ""}stale`, async () => {
    answers = "never";
    const cache = open(path);
    await waitFor(() => expect(waits(), "a sign that it loads").toBe(true));
    again(cache, "broken");
    await shows("It broke.");
    if (empty) {
      again(cache, "none");
      await settled();
      await shows(empty);
    }
    again(cache, "one");
    await settled();
    await waitFor(() => expect(said()).not.toContain("It broke."));
    answers = "broken";
    void cache.invalidateQueries();
    await shows(common.errors.stale);
    expect(said()).not.toContain(common.errors.load);
  });

test("every route and every settings page is in the table", () => {
  const routes = Object.keys(makeRouter(new QueryClient()).routesByPath);
  const known = [...Object.keys(views), ...Object.keys(elsewhere)];
  expect(routes.filter((path) => !known.includes(path))).toEqual([]);
  const shown = (views["/settings/$page"] ?? []).map(({ path }) => path.split(/[/?]/)[2]);
  const pages = settingsPages.map((page) => page.id).filter((id) => !local.includes(id));
  expect(pages.filter((id) => !shown.includes(id))).toEqual([]);
});
