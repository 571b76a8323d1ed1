import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { words as sentence } from "@/lib/format";
import { emptyOf, type Fault, kindOf, type Schema } from "@/lib/json-schema";
import { forms } from "@/lib/messages/forms";
import { Button, IconButton } from "./button";
import { Checkbox, Field, Input, PasswordInput, Select, TextArea } from "./field";
import "./editor.css";

type Props = {
  schema: Schema;
  value: unknown;
  onChange: (value: unknown) => void;
  readOnly?: boolean | undefined;
  /** What is wrong, shown under the fields. */
  faults?: readonly Fault[] | undefined;
  /** Does not say of each field that it may be left empty. */
  unmarked?: boolean | undefined;
};

/** The fields of an object, as its schema says. What no control fits is a JSON field. */
export function SchemaForm({ schema, value, onChange, readOnly, faults = [], unmarked }: Props) {
  return (
    <div className="flex flex-col gap-4">
      <Group
        schema={schema}
        value={value}
        onChange={onChange}
        readOnly={readOnly}
        faults={faults}
        unmarked={unmarked}
        path=""
      />
    </div>
  );
}

type Inner = Props & { path: string; faults: readonly Fault[] };

function Group({ schema, value, onChange, path, ...rest }: Inner) {
  const group = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return Object.entries(schema.properties ?? {}).map(([name, one]) => (
    <One
      key={name}
      {...rest}
      name={name}
      path={path ? `${path}.${name}` : name}
      schema={one}
      optional={!schema.required?.includes(name)}
      value={group[name]}
      onChange={(next) => onChange({ ...group, [name]: next })}
    />
  ));
}

const faultText = ({ what, limit }: Fault) =>
  what === "small" || what === "large" ? forms.faults[what](limit ?? 0) : forms.faults[what];

function One({ name, optional, ...inner }: Inner & { name: string; optional: boolean }) {
  const { schema, value, onChange, readOnly, faults, path } = inner;
  const label = schema.title ?? sentence(name);
  const kind = kindOf(schema);
  if (kind === "switch") {
    return (
      <Checkbox
        label={label}
        {...(schema.description ? { help: schema.description } : {})}
        disabled={readOnly}
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    );
  }
  if (kind === "group") {
    return (
      <fieldset className="well flex flex-col gap-3 p-3">
        <legend className="px-1 text-small font-medium">{label}</legend>
        {schema.description && <p className="text-small text-fg-3">{schema.description}</p>}
        <Group {...inner} />
      </fieldset>
    );
  }
  if (kind === "rows") return <Rows {...inner} label={label} />;
  const fault = faults.find((one) => one.path === path);
  return (
    <Field
      label={label}
      optional={optional && !inner.unmarked}
      {...(schema.description ? { help: schema.description } : {})}
      error={fault && faultText(fault)}
    >
      {(control) => (
        <Control schema={schema} value={value} onChange={onChange} readOnly={readOnly} optional={optional}>
          {control}
        </Control>
      )}
    </Field>
  );
}

function Control({
  schema,
  value,
  onChange,
  readOnly,
  optional,
  children: control,
}: Omit<Props, "faults"> & { optional?: boolean; children: Record<string, unknown> }) {
  const common = { ...control, readOnly };
  const text = value === undefined || value === null ? "" : String(value);
  switch (kindOf(schema)) {
    case "choice":
      return (
        <Select
          {...control}
          disabled={readOnly}
          value={text}
          options={[
            ...(optional || value === undefined ? [{ value: "", label: forms.none }] : []),
            ...(schema.enum ?? []).map((one) => ({ value: String(one), label: String(one) })),
          ]}
          onChange={(event) =>
            onChange(schema.enum?.find((one) => String(one) === event.target.value) ?? undefined)
          }
        />
      );
    case "number":
      return <NumberField {...common} value={value} onNumber={onChange} placeholder={hintOf(schema)} />;
    case "long":
      return (
        <TextArea
          {...common}
          className="auto min-h-16 py-2"
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "secret":
      return (
        <PasswordInput
          {...common}
          autoComplete="off"
          showLabel={forms.show}
          hideLabel={forms.hide}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "json":
      return <JsonField {...common} value={value} onValue={onChange} />;
    default:
      return (
        <Input
          {...common}
          value={text}
          placeholder={hintOf(schema)}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

const hintOf = (schema: Schema) => (schema.default === undefined ? undefined : String(schema.default));

/** A number as it is typed; while it is none, the value is not a number, which the form calls a fault. */
function NumberField({
  value,
  onNumber,
  ...rest
}: { value: unknown; onNumber: (value: unknown) => void } & Record<string, unknown>) {
  const [text, setText] = useState(typeof value === "number" ? String(value) : "");
  return (
    <Input
      {...rest}
      inputMode="decimal"
      value={text}
      onChange={(event) => {
        const typed = event.target.value.trim();
        setText(event.target.value);
        onNumber(typed === "" ? undefined : Number(typed));
      }}
    />
  );
}

/** Anything, as JSON; what is not JSON yet is kept as typed and marked. */
function JsonField({
  value,
  onValue,
  ...rest
}: { value: unknown; onValue: (value: unknown) => void } & Record<string, unknown>) {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [bad, setBad] = useState(false);
  const change = (next: string) => {
    setText(next);
    try {
      onValue(next.trim() === "" ? undefined : (JSON.parse(next) as unknown));
      setBad(false);
    } catch {
      setBad(true);
    }
  };
  return (
    <>
      <TextArea
        {...rest}
        className="mono min-h-16 py-2"
        spellCheck={false}
        placeholder="{ }"
        value={text}
        aria-invalid={bad || undefined}
        onChange={(event) => change(event.target.value)}
      />
      {bad && <span className="err">{forms.badJson}</span>}
    </>
  );
}

/** A list: each item a row that can be moved and removed. */
function Rows({
  schema,
  value,
  onChange,
  readOnly,
  faults,
  path,
  label,
}: Inner & { label: string }): ReactNode {
  const list = Array.isArray(value) ? (value as unknown[]) : [];
  const items = schema.items ?? {};
  const put = (i: number, next: unknown) => onChange(list.map((one, at) => (at === i ? next : one)));
  const move = (i: number, by: number) => {
    const next = [...list];
    const [taken] = next.splice(i, 1);
    next.splice(i + by, 0, taken);
    onChange(next);
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-small font-medium">{label}</legend>
      {schema.description && <p className="text-small text-fg-3">{schema.description}</p>}
      {list.map((one, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
        <div key={i} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            {kindOf(items) === "group" ? (
              <div className="well flex flex-col gap-3 p-3">
                <Group
                  schema={items}
                  value={one}
                  onChange={(next) => put(i, next)}
                  readOnly={readOnly}
                  faults={faults}
                  path={`${path}.${i}`}
                />
              </div>
            ) : (
              <Control schema={items} value={one} onChange={(next) => put(i, next)} readOnly={readOnly}>
                {{ "aria-label": forms.row(label, i + 1) }}
              </Control>
            )}
          </div>
          {!readOnly && (
            <>
              {list.length > 1 && (
                <>
                  <IconButton label={forms.up(label, i + 1)} disabled={i === 0} onClick={() => move(i, -1)}>
                    <ArrowUp aria-hidden="true" />
                  </IconButton>
                  <IconButton
                    label={forms.down(label, i + 1)}
                    disabled={i === list.length - 1}
                    onClick={() => move(i, 1)}
                  >
                    <ArrowDown aria-hidden="true" />
                  </IconButton>
                </>
              )}
              <IconButton
                label={forms.remove(label, i + 1)}
                onClick={() => onChange(list.filter((_, at) => at !== i))}
              >
                <X aria-hidden="true" />
              </IconButton>
            </>
          )}
        </div>
      ))}
      {list.length === 0 && readOnly && <p className="text-small text-fg-3">{forms.nothing}</p>}
      {!readOnly && (
        <div>
          <Button look="ghost" onClick={() => onChange([...list, emptyOf(items)])}>
            <Plus aria-hidden="true" />
            {forms.add(label)}
          </Button>
        </div>
      )}
    </fieldset>
  );
}
