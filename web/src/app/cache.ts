import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/errors";

/** The query cache. Events keep it fresh, so focus does not refetch; only failures worth it are tried again. */
export function makeCache(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        networkMode: "always",
        retry: (failures, error) => failures < 2 && error instanceof ApiError && error.retryable,
        retryDelay: (attempt, error) =>
          error instanceof ApiError && error.retryAfter
            ? error.retryAfter * 1000
            : Math.min(500 * 2 ** attempt, 5000),
      },
      mutations: { networkMode: "always" },
    },
  });
}
