import { useMutation } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import { newKey } from "@/lib/random";

/** Says something to a run that goes on, or to one helper alone. It reaches the model with its next turn. */
export function useTell() {
  return useMutation({
    mutationFn: ({ run, message }: { run: string; message: string }) =>
      call(
        client.POST("/api/v1/runs/{run}/messages", {
          params: { path: { run }, header: { "Idempotency-Key": newKey() } },
          body: { message },
        }),
      ),
  });
}
