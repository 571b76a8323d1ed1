import { Code, Image, Maximize2 } from "lucide-react";
import { memo, useEffect, useState, useSyncExternalStore } from "react";
import { drawn as words } from "@/lib/messages/drawn";
import { IconButton } from "./button";
import { CopyButton } from "./copy";
import { Lightbox } from "./lightbox";
import { drawDiagram, drawnBefore } from "./mermaid";
import "./drawn.css";

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

/** A wide diagram is made smaller up to this; then it scrolls, or its words could not be read. */
const readable = 0.75;

const themeNow = () => document.documentElement.dataset.theme ?? "dark";

/** The line that says why; a parser's drawing of where is too wide for it. */
function reason(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : "").split("\n");
  return line.slice(0, 160).replace(/[:.]?$/, line ? "." : "");
}

/** A diagram written as text. Until it is drawn, and when it cannot be, its source is shown. */
export default memo(function Diagram({ text }: { text: string }) {
  const theme = useSyncExternalStore(subscribe, themeNow);
  const [drawing, setDrawing] = useState(() => drawnBefore(text, theme));
  const [failed, setFailed] = useState<string>();
  const [source, setSource] = useState(false);
  const [large, setLarge] = useState(false);
  useEffect(() => {
    let current = true;
    drawDiagram(text, theme).then(
      (made) => current && setDrawing(made),
      (error) => current && setFailed(reason(error)),
    );
    return () => {
      current = false;
    };
  }, [text, theme]);
  const shown = failed === undefined && !source && drawing;
  return (
    <figure className="codebox diagram" aria-busy={!drawing && failed === undefined}>
      <header>
        <span>{words.diagram}</span>
        <span>
          {drawing && failed === undefined && (
            <IconButton label={source ? words.drawing : words.source} onClick={() => setSource(!source)}>
              {source ? <Image aria-hidden="true" /> : <Code aria-hidden="true" />}
            </IconButton>
          )}
          {shown && (
            <IconButton label={words.larger} onClick={() => setLarge(true)}>
              <Maximize2 aria-hidden="true" />
            </IconButton>
          )}
          <CopyButton text={text} label={words.copyDiagram} />
        </span>
      </header>
      {shown ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a sideways scrolling area has to be reachable by keyboard
        <div className="sight" tabIndex={0}>
          <img
            src={drawing.src}
            width={drawing.width}
            height={drawing.height}
            alt={words.diagram}
            style={{ minWidth: Math.min(drawing.width * readable, 1600) }}
          />
        </div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a sideways scrolling area has to be reachable by keyboard
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      )}
      {failed !== undefined && <p role="note">{words.diagramFailed(failed)}</p>}
      {large && drawing && (
        <Lightbox src={drawing.src} alt={words.diagram} fill onClose={() => setLarge(false)} />
      )}
    </figure>
  );
});
