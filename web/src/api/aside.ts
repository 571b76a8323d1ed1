import type { Run } from "./types";

/** Whether a run works beside its chat, which knows nothing of it until it goes on from there. */
export const isAside = ({ reason }: Run): boolean =>
  reason === "replay" || reason === "fork" || reason === "case";
