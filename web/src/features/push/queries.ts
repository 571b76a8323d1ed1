import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";

/** What one person wants to be told, and when not. */
export type Wishes = components["schemas"]["Wishes"];
/** A browser that is told. */
export type Subscription = components["schemas"]["Subscription"];

export const pushKeys = {
  wishes: () => ["push", "wishes"] as const,
  subscriptions: () => ["push", "subscriptions"] as const,
};

export const wishesQuery = queryOptions({
  queryKey: pushKeys.wishes(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/push/wishes", { signal })),
});

/** The devices of this person. */
export const subscriptionsQuery = queryOptions({
  queryKey: pushKeys.subscriptions(),
  queryFn: ({ signal }) => call(client.GET("/api/v1/push/subscriptions", { signal })),
});

export const serverKey = async () => (await call(client.GET("/api/v1/push/key"))).key;

/** Tells the server how to reach this browser. */
export const register = (name: string, made: PushSubscription) => {
  const { endpoint = "", keys } = made.toJSON();
  return call(
    client.POST("/api/v1/push/subscriptions", {
      body: { name, endpoint, keys: { p256dh: keys?.p256dh ?? "", auth: keys?.auth ?? "" } },
    }),
  );
};

export function useSaveWishes() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: Wishes) => call(client.PUT("/api/v1/push/wishes", { body })),
    onSuccess: (wishes) => cache.setQueryData(pushKeys.wishes(), wishes),
  });
}

/** A change of devices; the list is fetched again, also after one that failed: the server may have dropped a device. */
export function useDeviceChange<In>(change: (input: In) => Promise<unknown>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => cache.invalidateQueries({ queryKey: pushKeys.subscriptions() }),
  });
}

export const removeDevice = (subscription: string) =>
  call(client.DELETE("/api/v1/push/subscriptions/{subscription}", { params: { path: { subscription } } }));

export const testDevice = (subscription: string) =>
  call(client.POST("/api/v1/push/subscriptions/{subscription}/test", { params: { path: { subscription } } }));
