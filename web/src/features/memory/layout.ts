import type { Graph } from "./queries";

export type Place = { name: string; kind: string; x: number; y: number; links: number };
export type Line = { from: Place; to: Place; word: string };
export type Picture = { places: Place[]; lines: Line[]; left: number };

/** Nodes in the picture; the list beside it holds all. */
export const most = 240;

/**
 * Where the nodes of a graph stand in a square of one: those that belong together near each other, all others
 * apart. The same graph gives the same picture.
 */
export function arrange(graph: Graph): Picture {
  const count = new Map<string, number>();
  for (const { from, to } of graph.relations) {
    count.set(from, (count.get(from) ?? 0) + 1);
    count.set(to, (count.get(to) ?? 0) + 1);
  }
  const nodes = [...graph.entities]
    .sort((a, b) => (count.get(b.name) ?? 0) - (count.get(a.name) ?? 0) || a.name.localeCompare(b.name))
    .slice(0, most);
  const places = nodes.map((node, i): Place => {
    // A sunflower: even, and no two in one place.
    const angle = i * 2.399963;
    const radius = 0.48 * Math.sqrt((i + 0.5) / nodes.length);
    return {
      name: node.name,
      kind: node.entityType,
      links: count.get(node.name) ?? 0,
      x: 0.5 + radius * Math.cos(angle),
      y: 0.5 + radius * Math.sin(angle),
    };
  });
  const byName = new Map(places.map((place) => [place.name, place]));
  const lines = graph.relations.flatMap(({ from, to, relationType }): Line[] => {
    const [a, b] = [byName.get(from), byName.get(to)];
    return a && b && a !== b ? [{ from: a, to: b, word: relationType }] : [];
  });
  settle(places, lines);
  return { places, lines, left: graph.entities.length - places.length };
}

/** Springs along the lines, repulsion between all, cooling down. */
function settle(places: Place[], lines: readonly Line[]): void {
  const n = places.length;
  if (n < 2) return;
  const ideal = 0.75 / Math.sqrt(n);
  const rounds = n > 120 ? 80 : 160;
  for (let round = 0; round < rounds; round++) {
    const heat = 0.08 * (1 - round / rounds);
    const dx = new Float64Array(n);
    const dy = new Float64Array(n);
    push(places, ideal, dx, dy);
    pull(places, lines, ideal, dx, dy);
    for (const [i, place] of places.entries()) {
      const length = Math.hypot(dx[i] ?? 0, dy[i] ?? 0) || 1;
      const step = Math.min(length, heat) / length;
      place.x = Math.min(0.93, Math.max(0.07, place.x + (dx[i] ?? 0) * step + (0.5 - place.x) * 0.01));
      place.y = Math.min(0.95, Math.max(0.08, place.y + (dy[i] ?? 0) * step + (0.5 - place.y) * 0.01));
    }
  }
}

function push(places: readonly Place[], ideal: number, dx: Float64Array, dy: Float64Array): void {
  for (let i = 0; i < places.length; i++) {
    for (let j = i + 1; j < places.length; j++) {
      const [a, b] = [places[i], places[j]];
      if (!a || !b) continue;
      const x = a.x - b.x;
      const y = a.y - b.y;
      const far = Math.max(x * x + y * y, 1e-6);
      const force = (ideal * ideal) / far;
      dx[i] = (dx[i] ?? 0) + x * force;
      dy[i] = (dy[i] ?? 0) + y * force;
      dx[j] = (dx[j] ?? 0) - x * force;
      dy[j] = (dy[j] ?? 0) - y * force;
    }
  }
}

function pull(
  places: readonly Place[],
  lines: readonly Line[],
  ideal: number,
  dx: Float64Array,
  dy: Float64Array,
): void {
  const at = new Map(places.map((place, i) => [place, i]));
  for (const { from, to } of lines) {
    const i = at.get(from) ?? 0;
    const j = at.get(to) ?? 0;
    const x = from.x - to.x;
    const y = from.y - to.y;
    const force = Math.hypot(x, y) / ideal;
    dx[i] = (dx[i] ?? 0) - x * force;
    dy[i] = (dy[i] ?? 0) - y * force;
    dx[j] = (dx[j] ?? 0) + x * force;
    dy[j] = (dy[j] ?? 0) + y * force;
  }
}
