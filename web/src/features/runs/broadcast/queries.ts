import { useMutation } from "@tanstack/react-query";
import { call, client } from "@/api/client";

/** Asks several agents the same, each in a conversation of its own. */
export function useBroadcast() {
  return useMutation({
    mutationFn: (body: { agents: string[]; message: string }) =>
      call(client.POST("/api/v1/broadcast", { body })),
  });
}
