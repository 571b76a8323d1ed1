import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { arrive } from "./on-demand";

let up: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", async () => {
    if (!up) throw new TypeError("Failed to fetch");
    return new Response("{}");
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Code that can be fetched while `there` says so. */
const code = (there: () => boolean) =>
  vi.fn(async () => {
    if (!there()) throw new TypeError("Failed to fetch dynamically imported module");
    return "code";
  });

test("code is waited for while the server is away, however long", async () => {
  up = false;
  const load = code(() => up);
  const arrived = vi.fn();
  void arrive(load).then(arrived);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(arrived).not.toHaveBeenCalled();
  up = true;
  await vi.advanceTimersByTimeAsync(5000);
  expect(arrived).toHaveBeenCalledWith("code");
});

test("a network that is back is tried at once", async () => {
  up = false;
  const arrived = vi.fn();
  void arrive(code(() => up)).then(arrived);
  await vi.advanceTimersByTimeAsync(60_000);
  up = true;
  dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(arrived).toHaveBeenCalledWith("code");
});

test("a server that answers and has no such code is another version: that fails, after a second try", async () => {
  up = true;
  const load = code(() => false);
  const failed = vi.fn();
  arrive(load).catch(failed);
  await vi.advanceTimersByTimeAsync(500);
  expect(failed).toHaveBeenCalledOnce();
  expect(load).toHaveBeenCalledTimes(2);
});

test("a server that comes back between the try and the question is no other version", async () => {
  up = false;
  const load = vi.fn(async () => {
    if (load.mock.calls.length > 2) return "code";
    up = load.mock.calls.length === 2; // it starts right after this try failed
    throw new TypeError("Failed to fetch dynamically imported module");
  });
  const arrived = vi.fn();
  void arrive(load).then(arrived);
  await vi.advanceTimersByTimeAsync(2000);
  expect(arrived).toHaveBeenCalledWith("code");
});
