import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, client } from "@/api/client";

export const configKeys = { all: ["config"] as const };

export const configQuery = queryOptions({
  queryKey: configKeys.all,
  queryFn: ({ signal }) => call(client.GET("/api/v1/config", { signal })),
});

/** Saves to the file; the etag makes sure that nobody else's change is overwritten unseen. */
export function useSaveConfig() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: { set: Record<string, unknown>; etag?: string }) =>
      call(client.PATCH("/api/v1/config", { body })),
    onSettled: () => cache.invalidateQueries({ queryKey: configKeys.all }),
  });
}
