import { call, client } from "@/api/client";
import type { Run } from "@/api/types";

/** A run and, where nobody named its agent, why that one was picked. */
export const aboutRun = (run: string) => ({
  queryKey: ["runs", "about", run] as const,
  queryFn: async (): Promise<{ run: Run; why: string | undefined }> => {
    const [one, steps] = await Promise.all([
      call(client.GET("/api/v1/runs/{run}", { params: { path: { run } } })),
      call(client.GET("/api/v1/runs/{run}/steps", { params: { path: { run }, query: { limit: 5 } } })),
    ]);
    return { run: one, why: steps.data.find((step) => step.kind === "routing")?.title };
  },
});
