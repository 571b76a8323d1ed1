import { expect, test } from "vitest";
import { faultsOf, filled, kindOf, type Schema } from "./json-schema";

test.each<[Schema, string]>([
  [{ enum: ["a"] }, "choice"],
  [{ type: ["string", "null"] }, "text"],
  [{ type: "string", maxLength: 5000 }, "long"],
  [{ type: "array", items: { type: "string" } }, "rows"],
  [{ type: "array" }, "json"],
  [{ type: "object", additionalProperties: true }, "json"],
  [{ type: "object", properties: { a: {} } }, "group"],
  [{}, "json"],
])("%j is edited as %s", (schema, kind) => {
  expect(kindOf(schema)).toBe(kind);
});

const schema: Schema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", pattern: "^[a-z]+$" },
    n: { type: "integer", minimum: 1, maximum: 9 },
    list: {
      type: "array",
      items: { type: "object", required: ["x"], properties: { x: { type: "number" } } },
    },
  },
};

test("what is left empty is not sent", () => {
  expect(filled({ name: "", n: 3, list: [{ x: "" }], inner: { a: undefined } })).toEqual({ n: 3, list: [] });
  expect(filled({ a: "" })).toBeUndefined();
  expect(filled({ a: false, b: 0 })).toEqual({ a: false, b: 0 });
});

test("faults name the field", () => {
  expect(faultsOf(schema, { name: "", n: 12 })).toEqual([
    { path: "name", what: "missing" },
    { path: "n", what: "large", limit: 9 },
  ]);
  expect(faultsOf(schema, { name: "A", list: [{ x: 1 }, { x: Number.NaN }, { y: 2 }] })).toEqual([
    { path: "name", what: "pattern" },
    { path: "list.1.x", what: "number" },
    { path: "list.2.x", what: "missing" },
  ]);
  expect(faultsOf(schema, { name: "abc", n: 2 })).toEqual([]);
});
