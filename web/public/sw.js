// Keeps the shell openable without the server, and shows what the server pushes (push.js). What pages fetch from /api is never
// touched: data is always live or absent.
importScripts("/push.js");

const SHELL = "fluxway-shell-1";
const ASSETS = "fluxway-assets-1";
const KEPT_ASSETS = 200;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(SHELL)
      .then((cache) => cache.add(new Request("/", { cache: "reload" })))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const keep = [SHELL, ASSETS];
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(names.filter((name) => !keep.includes(name)).map((name) => caches.delete(name))),
      )
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (url.pathname.startsWith("/assets/")) event.respondWith(asset(request));
  else if (request.mode === "navigate" && !isServerPath(url.pathname)) event.respondWith(page(request));
});

/** Paths the server answers itself; the shell must never stand in for them. */
function isServerPath(path) {
  return /^\/(api|v1|mcp|docs|livez|readyz|healthz|version|metrics|openapi\.json)(\/|$)/.test(path);
}

/** File names under /assets/ carry a hash, so a cached copy is always the right one. */
async function asset(request) {
  const cache = await caches.open(ASSETS);
  const hit = await cache.match(request);
  if (hit) return hit;
  const answer = await fetch(request);
  if (answer.ok) {
    await cache.put(request, answer.clone());
    const names = await cache.keys();
    await Promise.all(
      names.slice(0, Math.max(0, names.length - KEPT_ASSETS)).map((name) => cache.delete(name)),
    );
  }
  return answer;
}

/** The page from the server, and the last good shell when the server cannot be reached. */
async function page(request) {
  try {
    const answer = await fetch(request);
    if (answer.ok) {
      const cache = await caches.open(SHELL);
      await cache.put("/", answer.clone());
    }
    return answer;
  } catch (error) {
    const shell = await caches.match("/");
    if (shell) return shell;
    throw error;
  }
}
