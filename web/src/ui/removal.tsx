import { type ReactNode, useState } from "react";
import { Confirm } from "./dialog";
import { toast } from "./toast";

type Words<T> = {
  title: (item: T) => string;
  body: string | ((item: T) => string);
  action: string;
  /** Said once it is gone. */
  done: string;
  remove: (item: T) => Promise<unknown>;
  /** Shown in the dialog, such as what would be lost. */
  shown?: (item: T) => ReactNode;
};

/** Asks before one thing of a list is taken away. Gives what opens the dialog, and the dialog. */
export function useRemoval<T>(words: Words<T>): [ask: (item: T) => void, dialog: ReactNode] {
  const [item, setItem] = useState<T>();
  const dialog = item !== undefined && (
    <Confirm
      open
      onClose={() => setItem(undefined)}
      title={words.title(item)}
      body={typeof words.body === "string" ? words.body : words.body(item)}
      action={words.action}
      onConfirm={async () => {
        await words.remove(item);
        toast.done(words.done);
      }}
    >
      {words.shown?.(item)}
    </Confirm>
  );
  return [setItem, dialog];
}
