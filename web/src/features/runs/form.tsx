import { type FormEvent, useState } from "react";
import { work as words } from "@/lib/messages/work";
import { Button } from "@/ui/button";
import { Field, Input, Select } from "@/ui/field";
import type { FormField } from "./work";

type Values = Readonly<Record<string, string | readonly string[]>>;

const preset = (field: FormField): string | readonly string[] => {
  if (Array.isArray(field.preset)) return field.preset.map(String);
  if (field.preset !== undefined && field.preset !== null) return String(field.preset);
  return field.type === "array" ? [] : "";
};

/** The answer to a form: what was left empty is left out. */
export function answerOf(values: Values): string {
  return JSON.stringify(Object.fromEntries(Object.entries(values).filter(([, value]) => value.length > 0)));
}

/** A form that a tool asks a person to fill in. */
export function Form({
  fields,
  busy,
  onSend,
}: {
  fields: readonly FormField[];
  busy: boolean;
  onSend: (answer: string) => void;
}) {
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(fields.map((field) => [field.name, preset(field)])),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSend(answerOf(values));
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      {fields.map((field) => (
        <Field
          key={field.name}
          label={field.title || field.name}
          help={field.description}
          optional={!field.required}
        >
          {(control) => (
            <Value
              control={control}
              field={field}
              value={values[field.name] ?? ""}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          )}
        </Field>
      ))}
      <div className="flex gap-2">
        <Button type="submit" look="solid" busy={busy}>
          {words.answer}
        </Button>
        <Button busy={busy} onClick={() => onSend("decline")}>
          {words.decline}
        </Button>
      </div>
    </form>
  );
}

function Value({
  control,
  field,
  value,
  onChange,
}: {
  control: Parameters<Parameters<typeof Field>[0]["children"]>[0];
  field: FormField;
  value: string | readonly string[];
  onChange: (value: string | readonly string[]) => void;
}) {
  if (!field.choices || field.choices.length === 0)
    return (
      <Input
        type={field.type === "number" || field.type === "integer" ? "number" : "text"}
        step={field.type === "integer" ? 1 : "any"}
        required={field.required}
        value={String(value)}
        onChange={(event) => onChange(event.target.value)}
        {...control}
      />
    );
  if (field.type === "array")
    return (
      <Select
        multiple
        options={field.choices}
        required={field.required}
        value={[...value]}
        onChange={(event) => onChange([...event.target.selectedOptions].map((option) => option.value))}
        {...control}
      />
    );
  return (
    <Select
      options={[{ value: "", label: "" }, ...field.choices]}
      required={field.required}
      value={String(value)}
      onChange={(event) => onChange(event.target.value)}
      {...control}
    />
  );
}
