import type { ErrorBody } from "./types";

/** What the server (or the way to it) said no with. Every failed call throws one of these. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly param: string | undefined;
  readonly details: unknown;
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  /** Seconds to wait, where the server named them. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Partial<ErrorBody> & { message: string }, retryAfter?: number) {
    super(body.message);
    this.name = "ApiError";
    this.status = status;
    this.code = body.code ?? "unknown";
    this.hint = body.hint || undefined;
    this.param = body.param || undefined;
    this.details = body.details;
    this.retryable = body.retryable ?? false;
    this.requestId = body.request_id || undefined;
    this.retryAfter = retryAfter;
  }
}

/** True for an answer of the server with this code. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}

/** True when the request never got an answer: the server is away or the network is. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0;
}
