// What the worker does with messages from the server: it shows them, and carries the answer to one back.
// Titles and texts come from the server, without secrets; approving needs a look at the whole, so there is no button for it.
const WORDS = {
  deny: "Deny",
  review: "Review",
  unknown: "Something needs you",
  failed: "Not denied",
  away: "The server cannot be reached. Open it to try again.",
  signedOut: "You are signed out here. Open it to sign in.",
};

self.addEventListener("push", (event) => event.waitUntil(show(read(event.data))));

self.addEventListener("notificationclick", (event) => {
  const { notification, action } = event;
  notification.close();
  event.waitUntil(action === "deny" ? deny(notification) : openPage(notification.data.url));
});

// The browser's maker gave it another address: the server is told, or nobody would be any more.
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew()));

function read(data) {
  try {
    return data.json();
  } catch {
    return { kind: "unknown", tag: "unknown", title: WORDS.unknown, body: "", url: "/inbox" };
  }
}

async function show(message) {
  const over = message.kind === "over";
  // Only Chromium lets a message show nothing; others end the subscription for it.
  if (message.kind !== "test" && navigator.userAgentData && (await inSight())) {
    for (const shown of await self.registration.getNotifications({ tag: message.tag })) shown.close();
    return;
  }
  await self.registration.showNotification(message.title, {
    body: message.body,
    tag: message.tag,
    renotify: !over,
    silent: over,
    requireInteraction: message.kind === "approval",
    icon: "/icons/icon-192.png",
    badge: "/icons/monochrome.svg",
    timestamp: Date.parse(message.at) || Date.now(),
    data: { id: message.id, url: message.url, tag: message.tag },
    actions:
      message.kind === "approval"
        ? [
            { action: "deny", title: WORDS.deny },
            { action: "review", title: WORDS.review },
          ]
        : [],
  });
}

/** Whether somebody looks at a window of ours: it says the same by itself. */
async function inSight() {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return windows.some((one) => one.focused && one.visibilityState === "visible");
}

async function deny({ title, data }) {
  const via = /Mobi|Android|iPhone|iPad/.test(navigator.userAgent) ? "phone" : "web";
  let why = WORDS.away;
  try {
    const answer = await fetch(`/api/v1/guard/approvals/${encodeURIComponent(data.id)}/answer`, {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ decision: "deny", via }),
    });
    if (answer.ok) return;
    why = answer.status === 401 ? WORDS.signedOut : (await answer.json()).error.message;
  } catch {
    // It stays at what is said when the server is away.
  }
  await self.registration.showNotification(WORDS.failed, {
    body: `${title}. ${why}`,
    tag: `${data.tag}:failed`,
    icon: "/icons/icon-192.png",
    badge: "/icons/monochrome.svg",
    data,
  });
}

/** Shows a page of ours, in a window that is there or in a new one. */
async function openPage(path) {
  const url = new URL(path, self.location.origin);
  if (url.origin !== self.location.origin) return;
  for (const one of await self.clients.matchAll({ type: "window" })) {
    const there = await one.navigate(url.href).catch(() => undefined); // one that is not ours to lead stays
    if (there) return await there.focus();
  }
  await self.clients.openWindow(url.href);
}

async function renew() {
  const { key } = await (await fetch("/api/v1/push/key", { credentials: "same-origin" })).json();
  const made = await self.registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  });
  const { endpoint, keys } = made.toJSON();
  await fetch("/api/v1/push/subscriptions", {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ endpoint, keys }),
  });
}
