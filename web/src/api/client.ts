import type { Client } from "openapi-fetch";
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

type Values = Record<string, unknown>;
type Options = {
  params?: { path?: Values; query?: Values };
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** The address of a route with its names filled in; what is undefined is left out. */
function addressOf(pattern: string, params: Options["params"]): string {
  const base = typeof location === "undefined" ? "http://localhost" : location.origin;
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params?.path?.[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params?.query ?? {}))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) query.append(name, String(one));
  const text = query.toString();
  return base + path + (text ? `?${text}` : "");
}

/** Every POST has an idempotency key, the caller's or a fresh one, so a repeated send is harmless. */
const send =
  (method: string) =>
  async (pattern: string, { params, body, headers, signal }: Options = {}): Promise<Result<unknown>> => {
    const request = new Request(addressOf(pattern, params), {
      method,
      credentials: "same-origin",
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(method === "POST" ? { "Idempotency-Key": newKey() } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    const response = await globalThis.fetch(request);
    const text = await response.text();
    const read = text === "" ? undefined : parsed(text, response.ok);
    return response.ok ? { data: read, response } : { error: read, response };
  };

/** An answer is JSON; what a proxy says instead of an error of ours may be anything. */
function parsed(text: string, strict: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (strict) throw cause;
    return undefined;
  }
}

/** One function per method, typed by the routes of the server. */
export const client = {
  GET: send("GET"),
  POST: send("POST"),
  PUT: send("PUT"),
  PATCH: send("PATCH"),
  DELETE: send("DELETE"),
} as unknown as Pick<Client<paths>, "GET" | "POST" | "PUT" | "PATCH" | "DELETE">;

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
