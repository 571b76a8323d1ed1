import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import { take } from "@/api/news";
import type { LiveEvent, Page } from "@/api/types";

export const eventKeys = { of: (channel: string) => ["events", channel] as const };

/** The log is read from its beginning, so many events are several questions; the newest are kept. */
const pages = 10;
const kept = 1500;

/** The newest stored events of one channel, oldest first. */
export const eventsQuery = (channel: string) =>
  queryOptions({
    queryKey: eventKeys.of(channel),
    queryFn: async ({ signal }): Promise<Page<LiveEvent>> => {
      let data: LiveEvent[] = [];
      let after = 0;
      for (let n = 0; n < pages; n++) {
        const page = await call(
          client.GET("/api/v1/events", {
            params: { query: { channel: [channel], limit: 500, after } },
            signal,
          }),
        );
        data = [...data, ...page.data].slice(-kept);
        after = page.data.at(-1)?.cursor ?? after;
        if (!page.has_more) break;
      }
      return { data, has_more: false };
    },
  });

/** Adds a live event to the list of its channel, once. Deltas are not facts and are left out. */
export function noteEvent(cache: QueryClient, event: LiveEvent): void {
  if (!event.cursor) return;
  take<Page<LiveEvent>>(cache, { queryKey: eventKeys.of(event.channel) }, (page) =>
    page.data.some((one) => one.cursor === event.cursor) ? page : { ...page, data: [...page.data, event] },
  );
}
