import { X } from "lucide-react";
import { common } from "@/lib/messages/common";
import { IconButton } from "./button";
import { Floating } from "./dialog";
import "./drawn.css";

/** A picture over the page, as large as it fits. Escape, the button and a click beside it close it. */
export function Lightbox({
  src,
  alt,
  fill,
  onClose,
}: {
  src: string;
  alt: string;
  /** A drawing has no size of its own: it takes the room there is. */
  fill?: boolean;
  onClose: () => void;
}) {
  return (
    <Floating label={alt} className="lightbox" onClose={onClose}>
      <header>
        <span className="trunc flex-1">{alt}</span>
        <IconButton label={common.actions.close} onClick={onClose}>
          <X aria-hidden="true" />
        </IconButton>
      </header>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape and the button close it for the keyboard */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the room around the picture is no control */}
      <div className="sight" onClick={(event) => event.target === event.currentTarget && onClose()}>
        <img src={src} alt={alt} className={fill ? "h-full w-full object-contain p-4" : undefined} />
      </div>
    </Floating>
  );
}
