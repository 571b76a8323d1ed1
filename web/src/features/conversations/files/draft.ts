import type { Attached } from "../outbox";

/** A file of a message that is being written. */
export type FileDraft = Attached & {
  key: string;
  state: "sending" | "done" | "failed";
  /** How much of it is sent, 0 to 1. */
  progress?: number;
  /** Why it cannot be sent, in words. */
  error?: string;
  /** The picture itself, while this page has it. */
  preview?: string;
};
