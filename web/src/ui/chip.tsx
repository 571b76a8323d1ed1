import { type ReactNode, Suspense, useState } from "react";
import { onDemand } from "@/lib/on-demand";

const Popover = onDemand(() => import("./popover"), "Popover");

/** A chip that opens to its details. What draws the panel is loaded when it is first asked for. */
export function Chip({
  look,
  label,
  title,
  face,
  children,
  ...place
}: {
  /** Its classes beside those of every chip. */
  look: string;
  label: string;
  /** The name of the panel. */
  title: string;
  face: ReactNode;
  side?: "top" | "bottom";
  align?: "start" | "end";
  children: ReactNode;
}) {
  const [asked, setAsked] = useState(false);
  const button = (
    <button
      type="button"
      className={`chip ${look}`}
      aria-label={label}
      aria-haspopup="dialog"
      onClick={() => setAsked(true)}
    >
      {face}
    </button>
  );
  if (!asked) return button;
  return (
    <Suspense fallback={button}>
      <Popover label={title} trigger={button} opened {...place}>
        {children}
      </Popover>
    </Suspense>
  );
}
