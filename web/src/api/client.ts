import createClient, { type Middleware } from "openapi-fetch";
import { common } from "@/lib/messages/common";
import { newKey } from "@/lib/random";
import { ApiError } from "./errors";
import type { paths } from "./schema";
import type { ErrorBody } from "./types";

/** Told when an answer says the session is gone; the shell then asks to sign in over the page. */
let onSignedOut: (() => void) | undefined;

/** Registers the one listener for a lost session. */
export function whenSignedOut(listener: (() => void) | undefined): void {
  onSignedOut = listener;
}

/** Gives every POST an idempotency key unless the caller brought one, so a repeated send is harmless. */
const idempotent: Middleware = {
  onRequest({ request }) {
    if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
      request.headers.set("Idempotency-Key", newKey());
    }
    return request;
  },
};

export const client = createClient<paths>({
  baseUrl: typeof location === "undefined" ? "http://localhost" : location.origin,
  credentials: "same-origin",
  fetch: (request) => globalThis.fetch(request),
});
client.use(idempotent);

type Result<T> = { data?: T; error?: unknown; response: Response };

/** Waits for a call, returns its body, and turns every kind of failure into an ApiError. */
export async function call<T>(pending: Promise<Result<T>>): Promise<T> {
  let result: Result<T>;
  try {
    result = await pending;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new ApiError(0, {
      code: "unreachable",
      message: common.errors.unreachable,
      hint: common.errors.unreachableHint,
      retryable: true,
    });
  }
  if (result.response.ok) return result.data as T;
  throw toError(result.error, result.response);
}

function toError(body: unknown, response: Response): ApiError {
  const inner = (body as { error?: Partial<ErrorBody> } | undefined)?.error;
  const requestId = inner?.request_id ?? response.headers.get("X-Request-Id") ?? undefined;
  const wait = Number(response.headers.get("Retry-After")) || undefined;
  const error = new ApiError(
    response.status,
    {
      ...inner,
      message: inner?.message ?? common.errors.status(response.status),
      ...(requestId ? { request_id: requestId } : {}),
    },
    wait,
  );
  const signIn = response.url.endsWith("/api/v1/session");
  if (response.status === 401 && !signIn) onSignedOut?.();
  return error;
}
