import { TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { ApiError } from "@/api/errors";
import { common } from "@/lib/messages/common";
import { Button } from "./button";
import { CopyButton } from "./copy";

/** Grey bars in the shape of what comes, only when it takes longer than 150 ms. */
export function Skeleton({
  rows = 3,
  height = 12,
  className,
}: {
  rows?: number;
  height?: number;
  className?: string;
}) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label={common.loading} className={className ?? "flex flex-col gap-3 p-4"}>
      {shown &&
        Array.from({ length: rows }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the bars have no identity
          <div key={i} className="sk pulse" style={{ height, width: `${[74, 96, 58, 88, 66][i % 5]}%` }} />
        ))}
    </div>
  );
}

/** Says that there is nothing, why, and what to do about it. */
export function Empty({
  icon,
  title,
  body,
  children,
}: {
  icon?: ReactNode;
  title: string;
  body?: string;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-1 px-6 py-10 text-center">
      {icon && <span className="ag l h-azure mb-2">{icon}</span>}
      <p className="font-medium">{title}</p>
      {body && <p className="max-w-[44ch] text-fg-3">{body}</p>}
      {children && <div className="mt-3 flex gap-2">{children}</div>}
    </div>
  );
}

/** What happened, why, what to do, and an id to copy. */
export function Problem({
  error,
  retry,
  title,
}: {
  error: unknown;
  retry?: (() => void) | undefined;
  title?: string;
}) {
  const known = error instanceof ApiError ? error : undefined;
  const heading =
    known?.status === 403 ? common.errors.forbidden : known?.status === 404 ? common.errors.notFound : title;
  const hint =
    known?.hint ??
    (known?.status === 403
      ? common.errors.forbiddenHint
      : known?.status === 404
        ? common.errors.notFoundHint
        : undefined);
  return (
    <div role="alert" className="flex gap-3 p-4">
      <TriangleAlert className="mt-0.5 text-bad" aria-hidden="true" />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-medium">{heading ?? common.errors.load}</p>
        <p className="text-fg-2">{error instanceof Error ? error.message : String(error)}</p>
        {hint && <p className="text-fg-3">{hint}</p>}
        <div className="mt-2 flex flex-wrap items-center gap-2">
          {retry && known?.status !== 403 && <Button onClick={retry}>{common.actions.retry}</Button>}
          {known?.requestId && <RequestId id={known.requestId} />}
        </div>
      </div>
    </div>
  );
}

export function RequestId({ id }: { id: string }) {
  return (
    <span className="flex items-center gap-1 text-small text-fg-3">
      {common.errors.requestId} <span className="mono">{id}</span>
      <CopyButton text={id} label={common.errors.copyId} />
    </span>
  );
}

type QueryLike<T> = {
  data: T | undefined;
  error: unknown;
  isPending: boolean;
  isFetching: boolean;
  refetch: () => unknown;
};

/** The four states of a view: loading, empty, failed, and data that stays while it refreshes. */
export function View<T>({
  query,
  empty,
  isEmpty,
  rows,
  children,
}: {
  query: QueryLike<T>;
  empty?: ReactNode;
  isEmpty?: (data: T) => boolean;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  const again = () => void query.refetch();
  if (query.data === undefined) {
    return query.error ? <Problem error={query.error} retry={again} /> : <Skeleton rows={rows ?? 4} />;
  }
  if (empty && isEmpty?.(query.data)) return empty;
  return (
    <>
      {query.error != null && <Stale retry={again} />}
      {children(query.data)}
    </>
  );
}

/** Says that what is shown may be old. */
export function Stale({ retry }: { retry: () => void }) {
  return (
    <div role="status" className="ban warn m-2">
      <TriangleAlert aria-hidden="true" />
      <span className="flex-1">{common.errors.stale}</span>
      <Button look="ghost" onClick={retry}>
        {common.actions.retry}
      </Button>
    </div>
  );
}
