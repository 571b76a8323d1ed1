import { type ReactNode, useEffect } from "react";
import { Toaster as Sonner, toast as sonner } from "sonner";

export type Note = {
  title: string;
  body?: string | undefined;
  icon: ReactNode;
  action?: { label: string; run: () => void } | undefined;
  /** Stays until it is answered. */
  stays?: boolean | undefined;
};

function send(note: Note) {
  sonner.custom(
    (id) => (
      <div className="toast">
        <span className="mt-0.5">{note.icon}</span>
        <div className="min-w-0 flex-1">
          <p className="font-medium">{note.title}</p>
          {note.body && <p className="text-small text-fg-3">{note.body}</p>}
        </div>
        {note.action && (
          <button
            type="button"
            className="link"
            onClick={() => {
              note.action?.run();
              sonner.dismiss(id);
            }}
          >
            {note.action.label}
          </button>
        )}
      </div>
    ),
    { duration: note.stays ? Number.POSITIVE_INFINITY : note.action ? 10_000 : 4_000 },
  );
}

export default function Toaster({ ready }: { ready: (send: (note: Note) => void) => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: handed over once, when the container exists
  useEffect(() => ready(send), []);
  return <Sonner position="bottom-right" gap={8} offset={20} mobileOffset={{ bottom: 76 }} />;
}
