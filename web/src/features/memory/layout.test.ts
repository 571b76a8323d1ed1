import { expect, test } from "vitest";
import { arrange, most } from "./layout";

const node = (name: string) => ({ name, entityType: "thing", observations: [] });
const line = (from: string, to: string) => ({ from, to, relationType: "knows" });

test("what belongs together stands nearer than what does not", () => {
  const names = [..."abcdefgh"];
  const graph = { entities: names.map(node), relations: [line("a", "b"), line("b", "c"), line("a", "c")] };
  const { places } = arrange(graph);
  const at = (name: string) => places.find((one) => one.name === name) ?? { x: 0, y: 0 };
  const far = (a: string, b: string) => Math.hypot(at(a).x - at(b).x, at(a).y - at(b).y);
  expect(far("a", "b")).toBeLessThan(far("a", "h"));
  for (const place of places) {
    expect(place.x).toBeGreaterThan(0);
    expect(place.x).toBeLessThan(1);
  }
  expect(arrange(graph)).toEqual(arrange(graph));
});

test("relations to what is not there, or to itself, are left out", () => {
  expect(arrange({ entities: [node("a")], relations: [line("a", "x"), line("a", "a")] }).lines).toEqual([]);
  expect(arrange({ entities: [], relations: [] })).toEqual({ places: [], lines: [], left: 0 });
});

test("a large graph shows those with most relations", () => {
  const entities = Array.from({ length: most + 50 }, (_, i) => node(`n${i}`));
  const { places, left } = arrange({ entities, relations: [line(`n${most + 49}`, "n0")] });
  expect(left).toBe(50);
  expect(places.slice(0, 2).map((one) => one.name)).toEqual(["n0", `n${most + 49}`]);
});
