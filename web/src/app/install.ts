import { useSyncExternalStore } from "react";

type InstallPrompt = Event & { prompt: () => Promise<unknown> };

let offered: InstallPrompt | undefined;
const listeners = new Set<() => void>();

/** Keeps the browser's offer to install for when a person asks for it. Called once, before the first paint. */
export function watchInstall(): void {
  window.addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    offered = event as InstallPrompt;
    for (const listener of listeners) listener();
  });
  window.addEventListener("appinstalled", () => {
    offered = undefined;
    for (const listener of listeners) listener();
  });
}

/** Starts the service worker where browsers allow one: over HTTPS and on this machine. */
export function startWorker(): void {
  if (!("serviceWorker" in navigator) || !window.isSecureContext) return;
  window.addEventListener("load", () => {
    navigator.serviceWorker.register("/sw.js").catch(() => {
      // A browser that refuses workers still has the whole product, only without the offline shell.
    });
  });
}

export type Install = { state: "installed" | "ready" | "insecure" | "menu"; run: () => void };

/** Whether the page can be installed as an app, and how. */
export function useInstall(): Install {
  const prompt = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offered,
  );
  const run = () => void prompt?.prompt();
  if (matchMedia("(display-mode: standalone)").matches) return { state: "installed", run };
  if (prompt) return { state: "ready", run };
  return { state: window.isSecureContext ? "menu" : "insecure", run };
}
