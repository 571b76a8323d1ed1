export type ApprovalKey = "a" | "d" | "r";
type Handlers = Record<ApprovalKey, () => void>;

const shown = new Map<string, Handlers>();

/** Answers the keys for one approval while its card is shown. */
export function onApprovalKey(id: string, handlers: Handlers): () => void {
  shown.set(id, handlers);
  return () => {
    if (shown.get(id) === handlers) shown.delete(id);
  };
}

/** Does what a key means for an approval; false when its card is not shown or takes no answer. */
export function pressApprovalKey(id: string, key: ApprovalKey): boolean {
  const handlers = shown.get(id);
  handlers?.[key]();
  return handlers !== undefined;
}
