import { useMemo } from "react";
import { qr } from "@/lib/qr";

/** A QR code as one SVG path, dark on light in both themes because scanners expect it so. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => {
    const grid = qr(text);
    const cells = grid.flatMap((row, y) =>
      row.flatMap((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : [])),
    );
    return { path: cells.join(""), size: grid.length + 8 };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={168}
      height={168}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="white" rx={1} />
      <path d={path} fill="black" />
    </svg>
  );
}
