// Every page there is, for the checks and pictures that walk over all of them.
import { composer, connected, settled } from "./kit.mjs";

/** Pages of the shell, by name; `:chat` stands for a conversation. */
export const pages = {
  overview: "/",
  "new-chat": "/chat",
  "all-chats": "/chat/all",
  chat: "/chat/:chat",
  traces: "/traces",
  "test-cases": "/traces/cases",
  costs: "/costs",
  budgets: "/costs/budgets",
  rates: "/costs/rates",
  records: "/costs/records",
  memory: "/memory",
  "memory-review": "/memory?tab=review",
  "memory-graph": "/memory?tab=graph",
  "memory-profile": "/memory?tab=profile",
  "memory-knowledge": "/memory?tab=knowledge",
  "memory-recall": "/memory?tab=recall",
  agents: "/agents",
  agent: "/agents/coordinator",
  servers: "/tools",
  tools: "/tools?tab=tools",
  plugins: "/plugins",
  inbox: "/inbox",
  mentions: "/inbox?tab=mentions",
  alerts: "/inbox?tab=alerts",
  activity: "/inbox?tab=activity",
  answered: "/inbox?tab=done",
  safety: "/safety",
  rules: "/safety/rules",
  "allow-list": "/safety/allowed",
  "test-a-command": "/safety/test?command=git%20fetch%20%26%26%20rm%20-rf%20notes",
  policy: "/safety/policy",
  calls: "/safety/audit",
  undo: "/safety/snapshots",
  account: "/settings/account",
  notifications: "/settings/notifications",
  appearance: "/settings/appearance",
  keyboard: "/settings/keyboard",
  users: "/settings/users",
  keys: "/settings/keys",
  models: "/settings/models",
  workspaces: "/settings/workspaces",
  audit: "/settings/audit",
  jobs: "/settings/jobs",
  backup: "/settings/backup",
  config: "/settings/config",
  "config-file": "/settings/config?view=file",
  posture: "/settings/posture",
  health: "/settings/health",
  logs: "/settings/logs",
};

/** Fills a server with what a week of use leaves behind and gives the id of the best conversation. */
export async function fill(context, server) {
  const post = async (path, data) => {
    const answer = await context.request.post(server.url(path), { data });
    if (!answer.ok()) throw new Error(`POST ${path}: ${answer.status()} ${await answer.text()}`);
    return await answer.json();
  };
  await post("/api/v1/users", { user: "jonas", name: "Jonas Berg", password: "a quiet harbour at 6am", role: "operator" });
  await post("/api/v1/users", { user: "vera", name: "Vera Lind", password: "a quiet harbour at 6am", role: "viewer" });
  await post("/api/v1/keys", { name: "deploy script" });
  await post("/api/v1/keys", { name: "nightly report", scopes: ["conversations:read", "runs:read"] });
  for (const message of ["Say hello to the new server", "Show me the code of a small web server", "What can you do?"]) {
    await post("/api/v1/agents/assistant/chat", { message });
  }
  await post("/api/v1/guard/allowed", { command: "docker compose restart web", note: "Needed with every deploy." });
  await post("/api/v1/system/backups", undefined);
  await know(post);
  const page = await context.newPage();
  await page.goto(server.url("/chat"));
  await connected(page);
  const ask = async (text) => {
    await page.goto(server.url("/chat"));
    await composer(page).fill(text);
    await composer(page).press("Enter");
    await page.waitForURL(/\/chat\/conv_/);
  };
  // Something that can be undone, something that was refused, and two that wait for an answer.
  for (const text of ['write "Buy milk" to the file notes/list.txt', "run `git push --force origin main`"]) {
    await ask(text);
    await settled(page, 2);
  }
  for (const command of ["pg_dump shop > shop.sql && rm -rf notes", "git push --force-with-lease origin fix/budget-reset"]) {
    await ask(`run \`${command}\``);
    await page.locator("article[data-approval]").waitFor();
  }
  await page.goto(server.url("/chat"));
  for (const [i, text] of ["Show me markdown", "Show me a table"].entries()) {
    await composer(page).fill(text);
    await composer(page).press("Enter");
    await page.waitForURL(/\/chat\/conv_/);
    await settled(page, 2 * (i + 1));
  }
  const id = new URL(page.url()).pathname.split("/").at(-1);
  await keep(context, server, post);
  await page.goto(server.url("/traces/cases"));
  await page.getByText("Passed", { exact: true }).waitFor();
  await page.close();
  return id;
}

/** Two test cases, one of them tried. */
async function keep(context, server, post) {
  const { data } = await (await context.request.get(server.url("/api/v1/runs?state=finished&limit=2"))).json();
  await post("/api/v1/cases", { run: data[1].id, name: "Markdown is complete" });
  const tried = await post("/api/v1/cases", { run: data[0].id, name: "A table has a head", contains: ["|"] });
  await post(`/api/v1/cases/${tried.id}/run`, {});
}

/** What agents have learned in that week. */
async function know(post) {
  for (const text of ["Mira prefers tabs over spaces", "Northwind ships on Thursdays", "The deploy key is rotated on Mondays"]) {
    await post("/api/v1/memory/facts", { text });
  }
  const thing = (name, entityType, ...observations) => ({ name, entityType, observations });
  await post("/api/v1/memory/graph/entities", {
    entities: [
      thing("Northwind", "company", "Sells coffee machines", "The fiscal year ends in March"),
      thing("Mira", "person", "Runs the platform team"),
      thing("Jonas", "person", "On call in November"),
      thing("Budget service", "service", "Written in Go", "Resets at midnight UTC"),
      thing("Upload service", "service", "Chunks of 1 MB"),
      thing("Postgres", "database"),
      thing("fix/budget-reset", "branch", "Two commits ahead"),
      thing("Oslo office", "place"),
    ],
  });
  const line = (from, relationType, to) => ({ from, relationType, to });
  await post("/api/v1/memory/graph/relations", {
    relations: [
      line("Mira", "works at", "Northwind"),
      line("Jonas", "works at", "Northwind"),
      line("Mira", "owns", "Budget service"),
      line("Jonas", "owns", "Upload service"),
      line("Budget service", "stores in", "Postgres"),
      line("Upload service", "stores in", "Postgres"),
      line("fix/budget-reset", "changes", "Budget service"),
      line("Northwind", "sits in", "Oslo office"),
    ],
  });
  await post("/api/v1/knowledge/sources", { title: "Runbook", text: "# Restart\n\nRestart the web service with docker compose." });
  await post("/api/v1/costs/budgets", { name: "Whole workspace", amount: 250_000, period: "daily", at_limit: "ask" });
}

/** Pages of the run that was asked last, by name: its trace, and it beside the one before. */
export async function tracePages(context, server) {
  const answer = await context.request.get(server.url("/api/v1/runs?state=finished&limit=2"));
  const [a, b] = (await answer.json()).data.map((run) => run.id);
  return { trace: `/traces/${a}`, compare: `/traces/compare?a=${b}&b=${a}` };
}

/** Waits until a page shows its data and nothing moves any more. */
export async function calm(page) {
  await page.waitForFunction(() => !document.querySelector("[role=status][aria-label=Loading]"));
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== "running"));
}
