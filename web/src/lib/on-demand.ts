import { type ComponentType, lazy } from "react";

const firstMs = 500;
const longestMs = 5000;

/**
 * Fetches code that was left for later. While the server cannot be reached it is waited for, so that nothing which is on
 * the page goes with it. A server that answers and has no such code runs another version: that fails.
 */
export async function arrive<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let wait = firstMs; ; wait = Math.min(2 * wait, longestMs)) {
    const up = wait > firstMs && (await reachable());
    try {
      return await load();
    } catch (error) {
      if (up && (await reachable())) throw error;
    }
    await pause(wait);
  }
}

/** A component whose code is fetched when it is first drawn. */
export function onDemand<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  type Part = Module[Name] extends ComponentType<infer Props> ? ComponentType<Props> : never;
  return lazy(async () => ({ default: (await arrive(load))[name] as Part }));
}

async function reachable() {
  const answer = await fetch("/livez", { cache: "no-store" }).catch(() => undefined);
  return !!answer?.ok;
}

/** Waits, or until the browser has a network again. */
async function pause(ms: number) {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
  });
}
