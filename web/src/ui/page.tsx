import clsx from "clsx";
import type { ReactNode } from "react";

/** The bar on top of the main sheet: title left, actions right. */
export function TopBar({
  title,
  before,
  after,
  children,
}: {
  title: ReactNode;
  before?: ReactNode;
  /** Next to the title, such as the tabs of a page. */
  after?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <header className="top">
      {before}
      <h1>{title}</h1>
      {after}
      <span className="flex-1" />
      {children}
    </header>
  );
}

/** The scrolling part of a page. */
export function PageBody({ children, narrow }: { children: ReactNode; narrow?: boolean }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div
        className={clsx("mx-auto flex flex-col gap-4 p-4 pb-10", narrow ? "max-w-[860px]" : "max-w-[1240px]")}
      >
        {children}
      </div>
    </div>
  );
}

/** A card with a heading and a slot for its actions. */
export function Section({
  title,
  note,
  actions,
  children,
  flush,
}: {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** The content draws its own edges, as tables do. */
  flush?: boolean;
}) {
  return (
    <section className="card min-w-0 overflow-hidden" aria-label={title}>
      <header className="flex min-h-[46px] flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {note && <span className="text-small text-fg-3">{note}</span>}
        <span className="flex-1" />
        {actions}
      </header>
      <div className={flush ? "border-t border-line" : "px-4 pb-4"}>{children}</div>
    </section>
  );
}
