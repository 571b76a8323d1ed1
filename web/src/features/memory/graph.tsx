import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { Maximize, Share2, Trash2, X, ZoomIn, ZoomOut } from "lucide-react";
import { type PointerEvent, useMemo, useRef, useState } from "react";
import { hueAt } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { memory } from "@/lib/messages/memory";
import { Pill } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Input } from "@/ui/field";
import { useRemoval } from "@/ui/removal";
import { Empty, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { arrange, type Picture } from "./layout";
import { type Graph, type GraphNode, graphQuery, useForgetNode, useForgetObservation } from "./queries";
import "./memory.css";

const words = memory.graph;

/** Things and how they belong together: a picture, a list that holds the same, and one thing in full. */
export function GraphView({ mayWrite }: { mayWrite: boolean }) {
  const query = useQuery(graphQuery);
  const [picked, setPicked] = useState<string>();
  return (
    <View
      query={query}
      rows={8}
      isEmpty={(graph) => graph.entities.length === 0}
      empty={<Empty icon={<Share2 />} title={words.empty} body={words.emptyBody} />}
    >
      {(graph) => (
        <div className="graph">
          <Things graph={graph} picked={picked} onPick={setPicked} />
          <Drawing graph={graph} picked={picked} onPick={setPicked} />
          <Thing
            graph={graph}
            node={graph.entities.find((one) => one.name === picked)}
            onPick={setPicked}
            mayWrite={mayWrite}
          />
        </div>
      )}
    </View>
  );
}

/** A colour for each kind of thing; no two alike while there are enough. */
function hueOfKind(graph: Graph): (kind: string) => string {
  const kinds = [...new Set(graph.entities.map((one) => one.entityType))].sort();
  return (kind) => hueAt(kinds.indexOf(kind));
}

type Pick = { picked: string | undefined; onPick: (name: string | undefined) => void };

function Things({ graph, picked, onPick }: { graph: Graph } & Pick) {
  const [find, setFind] = useState("");
  const wanted = find.trim().toLowerCase();
  const hue = hueOfKind(graph);
  const shown = graph.entities.filter((one) =>
    `${one.name} ${one.entityType} ${one.observations.join(" ")}`.toLowerCase().includes(wanted),
  );
  return (
    <section className="things card" aria-label={words.list}>
      <div className="p-2">
        <Input
          type="search"
          aria-label={words.find}
          placeholder={words.find}
          value={find}
          onChange={(event) => setFind(event.target.value)}
        />
      </div>
      <ul>
        {shown.slice(0, 500).map((one) => (
          <li key={one.name}>
            <button
              type="button"
              className={clsx("thing", hue(one.entityType))}
              aria-current={one.name === picked ? "true" : undefined}
              onClick={() => onPick(one.name)}
            >
              <i aria-hidden="true" />
              <span className="trunc flex-1">{one.name}</span>
              <span className="text-small text-fg-3">{one.entityType}</span>
            </button>
          </li>
        ))}
        {shown.length === 0 && <li className="p-3 text-small text-fg-3">{words.none}</li>}
      </ul>
    </section>
  );
}

type Sight = { x: number; y: number; scale: number };
const whole: Sight = { x: 0, y: 0, scale: 1 };

function Drawing({ graph, picked, onPick }: { graph: Graph } & Pick) {
  const picture = useMemo(() => arrange(graph), [graph]);
  const [sight, setSight] = useState(whole);
  const drag = useRef<{ x: number; y: number }>(undefined);
  const zoom = (factor: number) =>
    setSight(({ x, y, scale }) => ({ x, y, scale: Math.min(6, Math.max(0.5, scale * factor)) }));
  const move = (event: PointerEvent<SVGSVGElement>) => {
    if (!drag.current) return;
    const unit = 1000 / event.currentTarget.getBoundingClientRect().width;
    const { x, y } = drag.current;
    setSight((old) => ({
      ...old,
      x: old.x + (event.clientX - x) * unit,
      y: old.y + (event.clientY - y) * unit,
    }));
    drag.current = { x: event.clientX, y: event.clientY };
  };
  return (
    <figure className="drawing card" aria-label={words.picture(picture.places.length, picture.lines.length)}>
      <svg
        viewBox="0 0 1000 720"
        aria-hidden="true"
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, y: event.clientY };
        }}
        onPointerMove={move}
        onPointerUp={() => {
          drag.current = undefined;
        }}
        onPointerLeave={() => {
          drag.current = undefined;
        }}
      >
        <g
          transform={`translate(${sight.x + 500 * (1 - sight.scale)} ${sight.y + 360 * (1 - sight.scale)}) scale(${sight.scale})`}
        >
          <Net picture={picture} hue={hueOfKind(graph)} picked={picked} onPick={onPick} />
        </g>
      </svg>
      <div className="tools">
        <IconButton label={words.zoomIn} onClick={() => zoom(1.4)}>
          <ZoomIn aria-hidden="true" />
        </IconButton>
        <IconButton label={words.zoomOut} onClick={() => zoom(1 / 1.4)}>
          <ZoomOut aria-hidden="true" />
        </IconButton>
        <IconButton label={words.fit} onClick={() => setSight(whole)}>
          <Maximize aria-hidden="true" />
        </IconButton>
      </div>
      {picture.left > 0 && (
        <figcaption className="px-3 pb-2 text-small text-fg-3">
          {words.more(picture.places.length)}
        </figcaption>
      )}
    </figure>
  );
}

function Net({ picture, hue, picked, onPick }: { picture: Picture; hue: (kind: string) => string } & Pick) {
  const near = new Set(
    picture.lines.flatMap(({ from, to }) =>
      from.name === picked ? [to.name] : to.name === picked ? [from.name] : [],
    ),
  );
  const aside = (name: string) => picked !== undefined && name !== picked && !near.has(name);
  const few = picture.places.length <= 60;
  return (
    <>
      {picture.lines.map(({ from, to, word }) => {
        const on = from.name === picked || to.name === picked;
        return (
          <g key={`${from.name}|${word}|${to.name}`} className={clsx("line", on && "on")}>
            <line x1={from.x * 1000} y1={from.y * 720} x2={to.x * 1000} y2={to.y * 720} />
            {on && (
              <text x={(from.x + to.x) * 500} y={(from.y + to.y) * 360}>
                {word}
              </text>
            )}
          </g>
        );
      })}
      {picture.places.map((place) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the list beside the picture is the way for keys
        <g
          key={place.name}
          className={clsx(
            "place",
            hue(place.kind),
            place.name === picked && "on",
            aside(place.name) && "aside",
          )}
          transform={`translate(${place.x * 1000} ${place.y * 720})`}
          onClick={() => onPick(place.name === picked ? undefined : place.name)}
        >
          <circle r={7 + Math.min(9, place.links * 1.5)} />
          {(few || place.name === picked || near.has(place.name)) && (
            <text y={-12 - Math.min(9, place.links * 1.5)}>{place.name}</text>
          )}
        </g>
      ))}
    </>
  );
}

function Thing({
  graph,
  node,
  onPick,
  mayWrite,
}: {
  graph: Graph;
  node: GraphNode | undefined;
  onPick: Pick["onPick"];
  mayWrite: boolean;
}) {
  const forget = useForgetNode();
  const forgetNote = useForgetObservation();
  const [ask, dialog] = useRemoval<GraphNode>({
    title: (one) => words.forgetTitle(one.name),
    body: words.forgetBody,
    action: words.forget,
    done: words.forgotten,
    remove: async (one) => {
      await forget.mutateAsync(one.name);
      onPick(undefined);
    },
  });
  if (!node) return <section className="one card p-4 text-fg-3">{words.pick}</section>;
  const relations = graph.relations.filter((one) => one.from === node.name || one.to === node.name);
  return (
    <section className="one card" aria-label={node.name}>
      <header className="flex items-center gap-2 px-4 pt-3">
        <h2 className="min-w-0 flex-1 break-words font-semibold">{node.name}</h2>
        <Pill tone="line">{node.entityType}</Pill>
        {mayWrite && (
          <IconButton label={words.forget} onClick={() => ask(node)}>
            <Trash2 aria-hidden="true" />
          </IconButton>
        )}
      </header>
      <h3 className="px-4 pt-2 text-micro text-fg-3">{words.observations}</h3>
      <ul className="px-4">
        {node.observations.map((text) => (
          <li key={text} className="flex items-start gap-2 border-b border-line py-1.5 last:border-0">
            <span className="min-w-0 flex-1 break-words">{text}</span>
            {mayWrite && (
              <IconButton
                label={words.forgetNote(text)}
                onClick={() =>
                  forgetNote.mutate(
                    { name: node.name, text },
                    { onError: (error) => toast.failed(error, common.errors.title) },
                  )
                }
              >
                <X aria-hidden="true" />
              </IconButton>
            )}
          </li>
        ))}
        {node.observations.length === 0 && <li className="text-fg-3">{words.noObservations}</li>}
      </ul>
      <h3 className="px-4 pt-3 text-micro text-fg-3">{words.relations}</h3>
      <ul className="px-4 pb-3">
        {relations.map(({ from, to, relationType }) => {
          const other = from === node.name ? to : from;
          return (
            <li
              key={`${from}|${relationType}|${to}`}
              className="flex flex-wrap items-center gap-x-1.5 py-0.5"
            >
              {from !== node.name && (
                <Button look="ghost" className="!px-1" onClick={() => onPick(other)}>
                  {other}
                </Button>
              )}
              <span className="text-fg-3">{relationType}</span>
              {from === node.name && (
                <Button look="ghost" className="!px-1" onClick={() => onPick(other)}>
                  {other}
                </Button>
              )}
            </li>
          );
        })}
        {relations.length === 0 && <li className="text-fg-3">{words.noRelations}</li>}
      </ul>
      {dialog}
    </section>
  );
}
