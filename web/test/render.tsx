import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi } from "vitest";
import type { FakeApi } from "@/fixtures/fake";

/** Draws a component above a fake API, with a cache of its own. */
export function renderWith(api: FakeApi, children: ReactNode) {
  vi.stubGlobal("fetch", api.fetch);
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return { cache, ...render(<QueryClientProvider client={cache}>{children}</QueryClientProvider>) };
}
