import {
  type ComponentProps,
  cloneElement,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { Kbd } from "./bits";

type Side = "right" | "bottom";
type Place = { left: number; top: number; side: Side };
type Props = {
  text: string;
  keys?: string | undefined;
  side?: Side;
  children: ReactElement<ComponentProps<"button">>;
};

const delay = 450;

/**
 * A short text shown on hover and keyboard focus of one element. It repeats the accessible name, so it is
 * hidden from screen readers; Escape, leaving and scrolling close it.
 */
export function Tip({ text, keys, side = "bottom", children }: Props) {
  const [place, setPlace] = useState<Place>();
  const timer = useRef(0);
  const hide = () => {
    clearTimeout(timer.current);
    setPlace(undefined);
  };
  const show = (element: Element, wait: number) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => element.isConnected && setPlace(placeOf(element, side)), wait);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!place) return;
    const close = (event: Event) => {
      if (!(event instanceof KeyboardEvent) || event.key === "Escape") setPlace(undefined);
    };
    window.addEventListener("keydown", close);
    window.addEventListener("scroll", close, true);
    return () => {
      window.removeEventListener("keydown", close);
      window.removeEventListener("scroll", close, true);
    };
  }, [place]);
  const own = children.props;
  return (
    <>
      {cloneElement(children, {
        onPointerEnter: (event: PointerEvent<HTMLButtonElement>) => {
          own.onPointerEnter?.(event);
          if (event.pointerType === "mouse") show(event.currentTarget, delay);
        },
        onPointerLeave: hide,
        onPointerDown: (event: PointerEvent<HTMLButtonElement>) => {
          own.onPointerDown?.(event);
          hide();
        },
        onFocus: (event) => {
          own.onFocus?.(event);
          if (event.currentTarget.matches(":focus-visible")) show(event.currentTarget, 0);
        },
        onBlur: (event) => {
          own.onBlur?.(event);
          hide();
        },
      })}
      {place &&
        createPortal(
          <Bubble place={place}>{[text, keys && <Kbd key="keys">{keys}</Kbd>]}</Bubble>,
          document.body,
        )}
    </>
  );
}

function placeOf(element: Element, side: Side): Place {
  const box = element.getBoundingClientRect();
  if (side === "right") return { left: box.right + 8, top: box.top + box.height / 2, side };
  return {
    left: Math.min(Math.max(box.left + box.width / 2, 70), innerWidth - 70),
    top: box.bottom + 6,
    side,
  };
}

function Bubble({ place, children }: { place: Place; children: ReactNode }) {
  return (
    <div
      className="tip anim-fade"
      aria-hidden="true"
      style={{
        position: "fixed",
        left: place.left,
        top: place.top,
        translate: place.side === "right" ? "0 -50%" : "-50% 0",
        pointerEvents: "none",
        whiteSpace: "nowrap",
      }}
    >
      {children}
    </div>
  );
}
