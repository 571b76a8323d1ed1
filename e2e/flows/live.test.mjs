// One conversation in two tabs, through a reload and through the death of the server.
import assert from "node:assert/strict";
import { answers, composer, connected, open, settled, shown, suite, thread, unreachable } from "./kit.mjs";
import { vendor } from "./vendor.mjs";

const sentence = "Word after word the story goes on, so that it can be watched, left and found again.";
const story = Array(40).fill(sentence).join(" ");
const short = { "Show me markdown": "- [x] done\n- [ ] to do" };

let more = Promise.resolve();
/** Lets stories come to a stop after their first sentences until the function it gives is called. */
function hold() {
  let goOn;
  more = new Promise((resolve) => (goOn = resolve));
  return goOn;
}

const env = await vendor(async (say, asked) => {
  if (asked !== "Write a long story") return say(short[asked] ?? "Fine.");
  for (let n = 0; n < 40; n++) {
    if (n === 5) await more;
    say(n === 0 ? sentence : ` ${sentence}`);
  }
});
const world = suite({ env: { ...env, GROQ_API_KEY: "gsk-any" } });

async function send(page, text) {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

/** Waits until all of an answer that is held is there and more is to come. */
async function underWay(page) {
  await page.waitForFunction(() => {
    const last = document.querySelector("[role=log] article[aria-busy=true]");
    return last?.textContent?.match(/Word after word/g)?.length === 5;
  });
}

world.flow("two tabs show the same conversation as it happens", async () => {
  const context = await world.window({ user: "mira" });
  const a = await open(context, world.server, "/chat");
  await connected(a);
  await send(a, "Hello");
  await a.waitForURL(/\/chat\/conv_/);
  await settled(a, 2);
  const path = new URL(a.url()).pathname;
  const b = await open(context, world.server, path);
  await connected(b);
  await settled(b, 2);

  const goOn = hold();
  await send(a, "Write a long story");
  await thread(b).getByText("Write a long story").waitFor();
  await Promise.all([underWay(a), underWay(b)]);
  goOn();
  const [inA, inB] = await Promise.all([settled(a, 4), settled(b, 4)]);
  assert.deepEqual(inB, inA);
  assert.equal(inA[3].trim(), story);

  await a.getByRole("button", { name: "Chat actions" }).click();
  await a.getByRole("menuitem", { name: "Rename" }).click();
  await a.getByRole("dialog").getByLabel("Title").fill("Stories for a harbour");
  await a.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  const recent = (page) => page.getByRole("list", { name: "Recent" });
  await recent(b).getByRole("link", { name: "Stories for a harbour" }).waitFor();
  await b.getByRole("heading", { level: 1, name: "Stories for a harbour" }).waitFor();

  await b.getByRole("button", { name: "Chat actions" }).click();
  await b.getByRole("menuitem", { name: "Archive" }).click();
  await recent(a).getByRole("link", { name: "Stories for a harbour" }).waitFor({ state: "detached" });
  await a.goto(world.server.url("/chat/all?archived=true"));
  await a.getByRole("table").getByText("Stories for a harbour").waitFor();
});

world.flow("an answer that begins before its question was acknowledged streams in all the same", async () => {
  const context = await world.window({ user: "mira" });
  const page = await context.newPage();
  const begun = new Promise((resolve) => {
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => String(payload).includes("runs.text_delta") && resolve()),
    );
  });
  hold();
  await page.route("**/api/v1/agents/*/chat", async (route) => {
    const response = await route.fetch();
    await begun;
    await route.fulfill({ response });
  });
  await page.goto(world.server.url("/chat"));
  await connected(page);
  await send(page, "Write a long story");
  await page.waitForURL(/\/chat\/conv_/);
  await underWay(page);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("Stopped after 85 words").waitFor();
});

world.flow("a reload in the middle of an answer loses and doubles nothing", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/chat");
  const goOn = hold();
  await send(page, "Write a long story");
  await page.waitForURL(/\/chat\/conv_/);
  await underWay(page);
  await page.reload();
  await underWay(page);
  goOn();
  const [question, answer] = await settled(page, 2);
  assert.equal(question, "Write a long story");
  assert.equal(answer.trim(), story);
});

world.flow("the server dies in the middle of an answer: the draft stays and the question is answered once", async () => {
  const context = await world.window({ user: "mira", allow: [unreachable] });
  const page = await open(context, world.server, "/chat");
  const goOn = hold();
  await send(page, "Write a long story");
  await page.waitForURL(/\/chat\/conv_/);
  await underWay(page);
  await composer(page).fill("a draft that must stay");
  await world.server.kill();
  await page.getByText("Reconnecting. What you type is kept and sent in order.").waitFor();
  assert.equal(await composer(page).inputValue(), "a draft that must stay");
  await page.getByRole("link", { name: /^Reconnecting/ }).waitFor();

  goOn();
  await world.server.start();
  await page.getByRole("button", { name: "Now" }).click({ timeout: 5000 }).catch(() => undefined); // it may be back already
  await connected(page);
  await page.getByText("Reconnecting. What you type").waitFor({ state: "detached" });
  const [question, answer] = await settled(page, 2);
  assert.equal(question, "Write a long story");
  assert.equal(answer.trim(), story);
  assert.equal(await composer(page).inputValue(), "a draft that must stay");

  const path = new URL(page.url()).pathname;
  await page.reload();
  await shown(page, path);
  assert.deepEqual((await settled(page, 2)).map((text) => text.trim()), [question, story]);
  assert.equal(await composer(page).inputValue(), "a draft that must stay");
  const id = path.split("/").at(-1);
  const runs = await (await context.request.get(world.server.url(`/api/v1/runs?conversation=${id}`))).json();
  assert.deepEqual(runs.data.map((run) => run.state), ["finished"]);
  assert.equal(await answers(page).count(), 1);
});

world.flow("what is written while the server is away is sent in order when it is back", async () => {
  const context = await world.window({ user: "mira", allow: [unreachable] });
  const page = await open(context, world.server, "/chat");
  await send(page, "Hello");
  await page.waitForURL(/\/chat\/conv_/);
  await settled(page, 2);
  await world.server.kill();
  await page.getByRole("link", { name: /^Reconnecting/ }).waitFor();
  await send(page, "Show me a table");
  await send(page, "help");
  const queue = page.getByRole("list", { name: "Waiting to be sent" });
  await queue.getByText("Show me a table").waitFor();
  await world.server.start();
  const texts = await settled(page, 6);
  assert.deepEqual([texts[0], texts[2], texts[4]], ["Hello", "Show me a table", "help"]);
  await queue.waitFor({ state: "detached" });
});

world.flow("what was sent is no draft any more, a list of tasks is drawn as one", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/chat");
  await send(page, "Show me markdown");
  await page.waitForURL(/\/chat\/conv_/);
  const path = new URL(page.url()).pathname;
  const [, answer] = await settled(page, 2);
  assert.match(answer, /done\n+to do/);
  assert.doesNotMatch(answer, /\[x?\s?\]/, "the boxes are drawn, not written");
  await page.goto(world.server.url("/chat"));
  assert.equal(await composer(page).inputValue(), "", "a new chat begins empty");
  await page.goto(world.server.url(path));
  await send(page, "Hello");
  await settled(page, 4);
  await page.reload();
  await shown(page, path);
  assert.equal(await composer(page).inputValue(), "");
});

world.flow("stopping an answer keeps what was said", async () => {
  const context = await world.window({ user: "mira" });
  const page = await open(context, world.server, "/chat");
  hold();
  await send(page, "Write a long story");
  await page.waitForURL(/\/chat\/conv_/);
  await underWay(page);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("Stopped after 85 words").waitFor();
  const [, answer] = await settled(page, 2);
  assert.equal(answer.trim(), Array(5).fill(sentence).join(" "));
});
