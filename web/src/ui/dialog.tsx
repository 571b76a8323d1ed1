import { type ComponentProps, type ReactNode, Suspense } from "react";
import { onDemand } from "@/lib/on-demand";

const parts = () => import("./dialog-parts");
const LazyDialog = onDemand(parts, "Dialog");
const LazyConfirm = onDemand(parts, "Confirm");
const LazyFloating = onDemand(parts, "Floating");

/** A dialog on a desk, a sheet from below on a phone. The code of dialogs is loaded with the first one. */
export function Dialog(props: ComponentProps<typeof LazyDialog>) {
  if (!props.open) return null;
  return (
    <Suspense>
      <LazyDialog {...props} />
    </Suspense>
  );
}

/** Asks before something that cannot be undone. */
export function Confirm(props: ComponentProps<typeof LazyConfirm>) {
  if (!props.open) return null;
  return (
    <Suspense>
      <LazyConfirm {...props} />
    </Suspense>
  );
}

/** A panel over the page with its own looks, such as the palette. */
export function Floating(props: ComponentProps<typeof LazyFloating>) {
  return (
    <Suspense>
      <LazyFloating {...props} />
    </Suspense>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <footer className="mt-1 flex flex-wrap justify-end gap-2">{children}</footer>;
}
