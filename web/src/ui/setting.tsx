import type { ReactNode } from "react";

/** One setting: what it is at the left, its control at the right or, where that is narrow, below. */
export function Setting({
  title,
  help,
  children,
}: {
  title: ReactNode;
  help: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-t border-line py-3 first:border-0 first:pt-0">
      <div className="min-w-[220px] flex-1">
        <p className="font-medium">{title}</p>
        <p className="text-small text-fg-3">{help}</p>
      </div>
      {children}
    </div>
  );
}
