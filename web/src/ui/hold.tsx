import clsx from "clsx";
import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "./button";
import "./hold.css";

const holdMs = 900;

/**
 * A button for what must not happen by a slip of the thumb: it acts when it is held until it has filled. A tap, Enter
 * or a click by assistive technology asks once more instead, with the same result.
 */
export function HoldButton({
  label,
  holding,
  confirm,
  cancel,
  busy,
  onDone,
}: {
  label: ReactNode;
  /** Shown while it fills. */
  holding: string;
  /** The second tap, and the way out of it. */
  confirm: string;
  cancel: string;
  busy: boolean;
  onDone: () => void;
}) {
  const [held, setHeld] = useState<number>();
  const [asked, setAsked] = useState(false);
  const frame = useRef(0);
  const filled = useRef(false);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  const start = (event: PointerEvent<HTMLButtonElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture?.(event.pointerId);
    filled.current = false;
    const from = performance.now();
    const grow = () => {
      const part = (performance.now() - from) / holdMs;
      setHeld(Math.min(part, 1));
      if (part < 1) {
        frame.current = requestAnimationFrame(grow);
        return;
      }
      filled.current = true;
      onDone();
    };
    frame.current = requestAnimationFrame(grow);
  };
  const stop = () => {
    cancelAnimationFrame(frame.current);
    setHeld(undefined);
  };

  if (asked && !busy) {
    return (
      <fieldset className="flex min-w-0 flex-1 gap-2" aria-label={confirm}>
        <Button large className="flex-1" onClick={() => setAsked(false)}>
          {cancel}
        </Button>
        <Button large look="solid" className="flex-1" autoFocus onClick={onDone}>
          {confirm}
        </Button>
      </fieldset>
    );
  }
  return (
    <button
      type="button"
      className={clsx("btn lg hold")}
      disabled={busy}
      aria-busy={busy || undefined}
      onPointerDown={start}
      onPointerUp={stop}
      onPointerCancel={stop}
      onContextMenu={(event) => event.preventDefault()}
      onClick={() => !filled.current && setAsked(true)}
    >
      <span className="fill" aria-hidden="true" style={{ transform: `scaleX(${held ?? 0})` }} />
      <span className="words">{held === undefined ? label : holding}</span>
    </button>
  );
}
