import clsx from "clsx";
import type { KeyboardEvent, ReactNode } from "react";

export type Column<T> = { head: string; cell: (row: T) => ReactNode; right?: boolean; hideHead?: boolean };

/** A table on a desk, cards on a phone. With `onOpen` rows are reachable by J, K, arrows and Enter. */
export function Table<T>({
  label,
  rows,
  columns,
  id,
  onOpen,
}: {
  label: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
  id: (row: T) => string;
  onOpen?: (row: T) => void;
}) {
  return (
    <div className="tw">
      <table className="table cards" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" className={clsx(column.right && "r")}>
                {column.hideHead ? <span className="sr-only">{column.head}</span> : column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={id(row)}
              tabIndex={onOpen ? 0 : undefined}
              onKeyDown={onOpen ? (event) => rowKeys(event, () => onOpen(row)) : undefined}
              onClick={onOpen ? (event) => fromRow(event.target) && onOpen(row) : undefined}
            >
              {columns.map((column) => (
                <td
                  key={column.head}
                  data-label={column.hideHead ? "" : column.head}
                  className={clsx(column.right && "r")}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function fromRow(target: EventTarget): boolean {
  return target instanceof Element && !target.closest("button, a, input, select, [role=menuitem]");
}

/** Moves between rows and opens the focused one; keys inside a control of the row stay with it. */
function rowKeys(event: KeyboardEvent<HTMLTableRowElement>, open: () => void) {
  if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return;
  const row = event.currentTarget;
  const next = {
    j: row.nextElementSibling,
    ArrowDown: row.nextElementSibling,
    k: row.previousElementSibling,
    ArrowUp: row.previousElementSibling,
  };
  if (event.key === "Enter") open();
  else if (event.key in next) (next[event.key as keyof typeof next] as HTMLElement | null)?.focus();
  else return;
  event.preventDefault();
}
