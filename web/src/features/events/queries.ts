import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import type { LiveEvent, Page } from "@/api/types";

export const eventKeys = { of: (channel: string) => ["events", channel] as const };

/** The stored events of one channel, oldest first. */
export const eventsQuery = (channel: string) =>
  queryOptions({
    queryKey: eventKeys.of(channel),
    queryFn: ({ signal }) =>
      call(client.GET("/api/v1/events", { params: { query: { channel: [channel], limit: 500 } }, signal })),
  });

/** Adds a live event to the list of its channel, once. Deltas are not facts and are left out. */
export function noteEvent(cache: QueryClient, event: LiveEvent): void {
  if (!event.cursor) return;
  cache.setQueryData<Page<LiveEvent>>(eventKeys.of(event.channel), (page) => {
    if (!page || page.data.some((one) => one.cursor === event.cursor)) return page;
    return { ...page, data: [...page.data, event] };
  });
}
