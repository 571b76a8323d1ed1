import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, describe, expect, it } from "vitest";
import { renew, take, takeOnce } from "./news";

const queryKey = ["things"];
type Things = { of: string[] };
let cache = new QueryClient();
afterEach(() => {
  cache.clear();
  cache = new QueryClient();
});

/** Things that somebody looks at; every answer is given by hand. */
function looking() {
  const asked: ((answer: Things | Error) => void)[] = [];
  const queryFn = () =>
    new Promise<Things>((resolve, reject) =>
      asked.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
    );
  const observer = new QueryObserver(cache, { queryKey, queryFn, retry: false });
  const stop = observer.subscribe(() => undefined);
  return {
    stop,
    observer,
    asked: () => asked.length,
    async answer(given: string[] | Error) {
      const flight = cache.getQueryCache().find({ queryKey })?.promise;
      asked.at(-1)?.(given instanceof Error ? given : { of: given });
      await flight?.catch(() => undefined);
      return kept();
    },
  };
}

const kept = () => cache.getQueryData<Things>(queryKey)?.of;
const add = (name: string) => (things: Things) =>
  things.of.includes(name) ? things : { of: [...things.of, name] };

describe("news that are taken", () => {
  it("are put into an answer that is older, in their order", async () => {
    const { answer, asked } = looking();
    take(cache, { queryKey }, add("b"));
    take(cache, { queryKey }, add("c"));
    expect(kept()).toBeUndefined();
    expect(await answer(["a"])).toEqual(["a", "b", "c"]);
    expect(asked()).toBe(1);
    expect(await answer(["late"])).toEqual(["a", "b", "c"]);
  });

  it("leave alone what was asked for after them", async () => {
    const { answer } = looking();
    await answer(["a"]);
    void cache.refetchQueries({ queryKey });
    take(cache, { queryKey }, add("b"));
    void cache.refetchQueries({ queryKey }); // lets the first one go
    expect(await answer(["other"])).toEqual(["other"]);
  });

  it("stay when the answer fails", async () => {
    const { answer } = looking();
    await answer(["a"]);
    void cache.refetchQueries({ queryKey });
    take(cache, { queryKey }, add("b"));
    expect(await answer(new Error("down"))).toEqual(["a", "b"]);
  });

  it("stay when nobody waits for the answer any more", async () => {
    const { answer, stop } = looking();
    await answer(["a"]);
    void cache.refetchQueries({ queryKey });
    take(cache, { queryKey }, add("b"));
    stop();
    await cache.cancelQueries({ queryKey });
    expect(kept()).toEqual(["a", "b"]);
  });

  it("do not make new what was marked old", async () => {
    const { answer, stop } = looking();
    await answer(["a"]);
    stop();
    renew(cache, { queryKey });
    take(cache, { queryKey }, add("b"));
    expect(kept()).toEqual(["a", "b"]);
    expect(cache.getQueryState(queryKey)?.isInvalidated).toBe(true);
  });
});

describe("news that count once", () => {
  it("are added to what is kept", async () => {
    const { answer, asked } = looking();
    await answer(["a"]);
    takeOnce(cache, { queryKey }, add("b"));
    expect(kept()).toEqual(["a", "b"]);
    expect(asked()).toBe(1);
  });

  it("are asked for when an answer is on its way", async () => {
    const { answer, asked } = looking();
    await answer(["a"]);
    void cache.refetchQueries({ queryKey });
    takeOnce(cache, { queryKey }, add("b"));
    takeOnce(cache, { queryKey }, add("c"));
    expect(await answer(["a"])).toEqual(["a"]);
    expect(asked()).toBe(3); // once more, not once for each
    expect(await answer(["a", "b", "c"])).toEqual(["a", "b", "c"]);
  });
});

describe("what is renewed", () => {
  it("is asked for again after the answer on its way, also before there is any", async () => {
    const { answer, asked } = looking();
    renew(cache, { queryKey });
    renew(cache, { queryKey });
    expect(asked()).toBe(1);
    expect(await answer(["old"])).toEqual(["old"]);
    expect(asked()).toBe(2);
    expect(await answer(["new"])).toEqual(["new"]);
    expect(asked()).toBe(2);
  });
});
