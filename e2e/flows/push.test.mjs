// Notifications: turned on in Settings, an approval arrives at the browser's push service for that browser alone, is shown
// with Deny and Review, and is answered from there. Chromium's own push service cannot be reached here, so the one call that
// would ask it for a subscription gives ours; all else is real.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { axeFindings, composer, connected, idle, open, phone, refused, suite } from "./kit.mjs";
import { env, PushService } from "./push-service.mjs";

const world = suite({ env });
let service;
before(async () => {
  service = await PushService.start();
});
after(() => service?.close());

/** A window whose browser subscribes at our service. */
async function subscriber(options) {
  const context = await world.window({ user: "mira", ...options });
  await context.grantPermissions(["notifications"], { origin: world.server.origin });
  await context.addInitScript((made) => {
    const subscription = { toJSON: () => made, unsubscribe: async () => sessionStorage.removeItem("subscribed") };
    PushManager.prototype.subscribe = async (asked) => {
      sessionStorage.setItem("subscribed", asked.applicationServerKey);
      return subscription;
    };
    PushManager.prototype.getSubscription = async () => (sessionStorage.getItem("subscribed") ? subscription : null);
  }, service.subscription);
  return context;
}

/** What a notification keeps of its message. */
const dataOf = ({ id, url, tag }) => ({ id, url, tag });

/** The worker of the app, as Chromium's own tools reach it. */
async function worker(context, page) {
  const cdp = await context.newCDPSession(page);
  const registered = new Promise((resolve) =>
    cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => registrations[0] && resolve(registrations[0])),
  );
  await cdp.send("ServiceWorker.enable");
  const { registrationId } = await registered;
  const inside = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  // Chromium forgets some notifications right after it has shown them where there is no desktop to show them on, so what the
  // worker has shown is noted, and what is to be clicked is shown again if it is gone.
  await inside.evaluate(() => {
    self.noted = [];
    const show = self.registration.showNotification.bind(self.registration);
    self.registration.showNotification = async (title, options) => {
      await show(title, options);
      self.noted.push({ title, options });
      self.dispatchEvent(new Event("noted"));
    };
  });
  return {
    deliver: (message) =>
      cdp.send("ServiceWorker.deliverPushMessage", { origin: world.server.origin, registrationId, data: JSON.stringify(message) }),
    /** What was shown since the last time, once one with this title was. */
    shown: (title) =>
      inside.evaluate(async (wanted) => {
        while (!self.noted.some((one) => one.title === wanted)) {
          await new Promise((resolve) => self.addEventListener("noted", resolve, { once: true }));
        }
        return self.noted.splice(0).map(({ title, options: { body, tag, data, actions = [] } }) => ({
          title,
          body,
          tag,
          data,
          actions: actions.map((one) => one.action),
        }));
      }, title),
    /** A finger on the notification of a message: Chromium has no other way to be told of one. */
    click: (action, message) =>
      inside.evaluate(
        async ({ title, action, options }) => {
          let notification;
          while (!notification) {
            await ServiceWorkerRegistration.prototype.showNotification.call(self.registration, title, options);
            [notification] = await self.registration.getNotifications({ tag: options.tag });
          }
          const event = new NotificationEvent("notificationclick", { notification, action });
          let work;
          Object.defineProperty(event, "waitUntil", { value: (promise) => (work = promise) });
          self.dispatchEvent(event);
          return await work.then(
            () => "",
            (error) => String(error),
          );
        },
        { title: message.title, action, options: { tag: message.tag, data: dataOf(message) } },
      ),
  };
}

async function ask(page, text) {
  await page.goto(world.server.url("/chat"));
  await connected(page);
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await page.waitForURL(/\/chat\/conv_/);
  await page.locator("article[data-approval]").first().waitFor();
}

world.flow("an approval reaches the phone, and is denied from its notification", async () => {
  const context = await subscriber({ viewport: phone, allow: [refused(409)] });
  const page = await open(context, world.server, "/settings/notifications");
  await page.getByText("You are told nothing here while no window is open.").waitFor();
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByText("You are told here, also while no window is open.").waitFor();
  await page.getByRole("table", { name: "Your devices" }).getByText("127.0.0.1").waitFor();
  assert.deepEqual(await axeFindings(page), []);
  await page.getByRole("button", { name: "Send a test" }).click();
  const test = await service.next();
  assert.equal(test.title, "Notifications work");
  assert.equal(test.claims.aud, new URL(service.endpoint).origin);
  assert.equal(test.claims.key, await page.evaluate(() => sessionStorage.getItem("subscribed")));

  const desk = await world.window({ user: "mira" });
  const chat = await open(desk, world.server, "/");
  await ask(chat, "run `rm -rf notes`");
  const asked = await service.next();
  assert.equal(asked.kind, "approval");
  assert.match(asked.title, /needs your approval$/);
  assert.match(asked.body, /^rm -rf notes\nDenied by itself at \d\d:\d\d\.$/);
  assert.equal(asked.headers.urgency, "high");
  assert.ok(Number(asked.headers.ttl) > 600 && Number(asked.headers.ttl) <= 900, `the message lives ${asked.headers.ttl} s`);

  // Nobody looks at the app on the phone; what came is handed to its worker as its push service would.
  const there = await worker(context, page);
  await page.goto("about:blank");
  await there.deliver(asked);
  const question = { title: asked.title, body: asked.body, tag: asked.tag, data: dataOf(asked), actions: ["deny", "review"] };
  assert.deepEqual(await there.shown(asked.title), [question]);
  assert.equal(await there.click("deny", asked), "");
  await chat.getByText(/^Denied by Mira Holm(?: on phone)?, \d\d:\d\d\./).first().waitFor();
  await idle(chat);
  const over = await service.next();
  assert.deepEqual([over.kind, over.tag, over.title], ["over", asked.tag, "Denied by Mira Holm"]);
  assert.equal(over.headers.topic, asked.headers.topic);
  await there.deliver(over);
  const list = await there.shown(over.title);
  assert.deepEqual(list.map((one) => [one.tag, one.actions]), [[asked.tag, []]], "it takes the place of the question");

  // The same again comes too late, and says so.
  assert.equal(await there.click("deny", asked), "");
  const [late] = await there.shown("Not denied");
  assert.match(late.body, /is denied already/);
});

world.flow("Review leads to the approval; while somebody looks at the app nothing pops up over it", async () => {
  const context = await subscriber({ allow: [] });
  const page = await open(context, world.server, "/settings/notifications");
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByText("You are told here, also while no window is open.").waitFor();
  const there = await worker(context, page);
  await ask(page, "run `rm -rf notes`");
  const asked = await service.next();
  await there.deliver(asked);
  await there.deliver({ ...asked, kind: "test", tag: "after", title: "A test" });
  assert.deepEqual((await there.shown("A test")).map((one) => one.tag), ["after"], "only the test was shown");
  await there.click("review", asked);
  await page.waitForURL(/\/inbox\?item=approval/);
  await page.locator("article[data-approval]").getByText("Approve this command?").waitFor();
  await page.goto(world.server.url("/settings/notifications"));
  await page.getByRole("button", { name: "Turn off" }).click();
  await page.getByText("You are told nothing here while no window is open.").waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.getItem("subscribed")), null);
});
