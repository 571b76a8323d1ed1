import type { Query, QueryClient, QueryFilters } from "@tanstack/react-query";

/** News that came while an answer was on its way: that answer may be older than they are, and it replaces what is kept. */
type Held = { flight: Promise<unknown> | undefined; change?: Change };
type Change = (data: unknown) => unknown;

const held = new WeakMap<Query, Held[]>();

/**
 * Takes news into everything kept under a filter: at once, and again into an answer that was on its way. So `change` may meet
 * data that knows the news already, and must leave it as it is.
 */
export function take<T>(cache: QueryClient, filters: QueryFilters, change: (data: T) => T): void {
  for (const query of cache.getQueryCache().findAll(filters)) {
    put(query, cache, change as Change);
    if (query.state.fetchStatus !== "idle") hold(cache, query, change as Change);
  }
}

/** Takes news that must not be counted twice: where an answer is on its way nobody knows whether it counts them, so it is asked for again. */
export function takeOnce<T>(cache: QueryClient, filters: QueryFilters, change: (data: T) => T): void {
  for (const query of cache.getQueryCache().findAll(filters)) {
    if (query.state.fetchStatus === "idle") put(query, cache, change as Change);
    else hold(cache, query);
  }
}

/** Asks again for what is shown of a filter; what is on its way may arrive first, so that a stream of news cannot keep it away. */
export function renew(cache: QueryClient, filters: QueryFilters): void {
  for (const query of cache.getQueryCache().findAll(filters))
    if (query.state.fetchStatus !== "idle") hold(cache, query);
  void cache.invalidateQueries({ ...filters, fetchStatus: "idle" });
}

/** Changes what is kept. What was marked old stays so: the news are about a piece of it. */
function put(query: Query, cache: QueryClient, change: Change): void {
  if (query.state.data === undefined) return;
  const old = query.state.isInvalidated;
  cache.setQueryData(query.queryKey, change);
  if (old) query.invalidate();
}

function hold(cache: QueryClient, query: Query, change?: Change): void {
  const one: Held = { flight: query.promise, ...(change ? { change } : {}) };
  const before = held.get(query);
  if (before) {
    before.push(one);
    return;
  }
  held.set(query, [one]);
  const stop = cache.getQueryCache().subscribe((event) => {
    if (event.query !== query || (event.type !== "removed" && query.state.fetchStatus !== "idle")) return;
    stop();
    const news = held.get(query) ?? [];
    held.delete(query);
    if (event.type === "removed") return;
    // An answer that was asked for after the news knows them.
    const late = news.filter(({ flight }) => flight === query.promise);
    for (const { change } of late) if (change) put(query, cache, change);
    if (late.some(({ change }) => !change))
      void cache.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
}
