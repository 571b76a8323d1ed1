/** The part of JSON Schema that forms are drawn from. */
export type Schema = {
  type?: string | readonly string[];
  title?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
};

/** How a value is edited; what no control fits is edited as JSON. */
export type Kind = "choice" | "switch" | "number" | "text" | "long" | "secret" | "rows" | "group" | "json";

const plainType = ({ type }: Schema): string | undefined =>
  typeof type === "string" ? type : type?.filter((one) => one !== "null")[0];

export function kindOf(schema: Schema): Kind {
  if (schema.enum) return "choice";
  switch (plainType(schema)) {
    case "boolean":
      return "switch";
    case "number":
    case "integer":
      return "number";
    case "string":
      if (schema.format === "password") return "secret";
      return schema.format === "multiline" || (schema.maxLength ?? 0) > 1000 ? "long" : "text";
    case "array":
      return schema.items && kindOf(schema.items) !== "json" ? "rows" : "json";
    case "object":
      return schema.properties && Object.keys(schema.properties).length > 0 ? "group" : "json";
    default:
      return "json";
  }
}

/** What a new row or field begins with. */
export function emptyOf(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  switch (kindOf(schema)) {
    case "choice":
      return schema.enum?.[0];
    case "switch":
      return false;
    case "rows":
      return [];
    case "group":
      return {};
    default:
      return kindOf(schema) === "json" ? undefined : "";
  }
}

/** A value without what was left empty, as it is sent. */
export function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled).filter((one) => one !== undefined);
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).flatMap(([key, one]) => {
      const kept = filled(one);
      return kept === undefined ? [] : [[key, kept] as const];
    });
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  }
  return value === "" || value === undefined ? undefined : value;
}

/** A fault of a value: which field, and what is wrong with it. */
export type Fault = {
  path: string;
  what: "missing" | "number" | "small" | "large" | "pattern";
  limit?: number;
};

/** What is wrong with a value, by the path of the field. */
export function faultsOf(schema: Schema, value: unknown, path = ""): Fault[] {
  const at = (name: string | number) => (path ? `${path}.${name}` : String(name));
  switch (kindOf(schema)) {
    case "group": {
      const group = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
      return Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
        const empty = filled(group[name]) === undefined;
        if (empty)
          return schema.required?.includes(name) ? [{ path: at(name), what: "missing" as const }] : [];
        return faultsOf(one, group[name], at(name));
      });
    }
    case "rows":
      return Array.isArray(value) ? value.flatMap((one, i) => faultsOf(schema.items ?? {}, one, at(i))) : [];
    case "number": {
      if (typeof value !== "number" || Number.isNaN(value)) return [{ path, what: "number" }];
      if (schema.minimum !== undefined && value < schema.minimum)
        return [{ path, what: "small", limit: schema.minimum }];
      if (schema.maximum !== undefined && value > schema.maximum)
        return [{ path, what: "large", limit: schema.maximum }];
      return [];
    }
    case "text":
    case "long":
      return schema.pattern && typeof value === "string" && !matches(schema.pattern, value)
        ? [{ path, what: "pattern" }]
        : [];
    default:
      return [];
  }
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}
