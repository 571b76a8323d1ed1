import { FileText, ImageOff } from "lucide-react";
import { useState } from "react";
import { drawn as words } from "@/lib/messages/drawn";
import { Lightbox } from "./lightbox";
import "./drawn.css";

/** A picture by its address; `file` for one that can only be downloaded. */
export type Shot = { src: string; alt: string; file?: boolean };

/** Pictures as small ones of one size, so that nothing moves when they arrive. A click shows one large. */
export function Pictures({ items, label }: { items: readonly Shot[]; label?: string }) {
  const [large, setLarge] = useState<Shot>();
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  return (
    <ul className="shots" aria-label={label}>
      {items.map((one) => (
        <li key={one.src}>
          {one.file ? (
            <a className="chip" href={one.src} download={one.alt}>
              <FileText aria-hidden="true" />
              {one.alt}
            </a>
          ) : gone.has(one.src) ? (
            <span className="shot gone">
              <ImageOff aria-hidden="true" />
              {words.gone}
            </span>
          ) : (
            <button
              type="button"
              className="shot"
              aria-label={words.enlarge(one.alt)}
              onClick={() => setLarge(one)}
            >
              <img
                src={one.src}
                alt=""
                loading="lazy"
                decoding="async"
                onError={() => setGone(new Set([...gone, one.src]))}
              />
            </button>
          )}
        </li>
      ))}
      {large && <Lightbox src={large.src} alt={large.alt} onClose={() => setLarge(undefined)} />}
    </ul>
  );
}
