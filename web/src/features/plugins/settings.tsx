import { type FormEvent, useState } from "react";
import { ApiError } from "@/api/errors";
import { common } from "@/lib/messages/common";
import { plugins } from "@/lib/messages/plugins";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Checkbox, Field, Input, PasswordInput, Select, TextArea } from "@/ui/field";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { type Plugin, type Setting, useConfigure } from "./queries";
import { changeOf, type Typed, typedOf } from "./values";

const words = plugins.form;

/** A form made of what the plugin says its settings are. */
export function SettingsForm({ plugin, onClose }: { plugin: Plugin; onClose: () => void }) {
  const [typed, setTyped] = useState<Record<string, Typed>>({});
  const [forget, setForget] = useState<Record<string, boolean>>({});
  const configure = useConfigure();
  const settings: Record<string, unknown> = {};
  for (const setting of plugin.settings) {
    const value = forget[setting.name] ? null : changeOf(setting, typed[setting.name] ?? typedOf(setting));
    if (value !== undefined) settings[setting.name] = value;
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    configure.mutate(
      { plugin: plugin.name, settings },
      {
        onSuccess: () => {
          toast.done(words.saved);
          onClose();
        },
      },
    );
  };
  const wrong = configure.error instanceof ApiError ? configure.error.param : undefined;
  const known = plugin.settings.some((setting) => wrong === `settings.${setting.name}`);
  return (
    <Dialog open onClose={onClose} title={words.title(plugin.name)}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <div className="flex max-h-[60vh] flex-col gap-4 overflow-y-auto p-0.5">
          {plugin.settings.map((setting) => (
            <div key={setting.name} className="flex flex-col gap-2">
              <One
                setting={setting}
                value={typed[setting.name] ?? typedOf(setting)}
                error={wrong === `settings.${setting.name}` ? configure.error?.message : undefined}
                onChange={(next) => setTyped({ ...typed, [setting.name]: next })}
              />
              {setting.type === "secret" && setting.set && (
                <Checkbox
                  label={words.forget}
                  checked={forget[setting.name] === true}
                  onChange={(event) => setForget({ ...forget, [setting.name]: event.target.checked })}
                />
              )}
            </div>
          ))}
        </div>
        {configure.error && !known && <Problem error={configure.error} title={common.errors.title} />}
        <DialogActions>
          <Button type="button" onClick={onClose}>
            {common.actions.cancel}
          </Button>
          <Button
            look="solid"
            type="submit"
            busy={configure.isPending}
            disabled={Object.keys(settings).length === 0}
          >
            {common.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** How a setting is typed in: by its type. */
function One({
  setting,
  value,
  error,
  onChange,
}: {
  setting: Setting;
  value: Typed;
  error: string | undefined;
  onChange: (next: Typed) => void;
}) {
  if (setting.type === "boolean")
    return (
      <Checkbox
        label={setting.title}
        {...(setting.description ? { help: setting.description } : {})}
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    );
  const hint = {
    secret: setting.set ? words.secretSet : words.secretHelp,
    list: words.list,
    text: "",
    number: "",
    choice: "",
  }[setting.type];
  const help = [setting.description, hint].filter(Boolean).join(" ");
  const text = String(value);
  return (
    <Field label={setting.title} optional={!setting.required} error={error} {...(help ? { help } : {})}>
      {(control) => {
        const common = { ...control, value: text };
        switch (setting.type) {
          case "list":
            return <TextArea {...common} rows={3} onChange={(event) => onChange(event.target.value)} />;
          case "choice":
            return (
              <Select
                {...common}
                options={[
                  ...(setting.value === undefined ? [{ value: "", label: words.unset }] : []),
                  ...(setting.choices ?? []).map((choice) => ({ value: choice, label: choice })),
                ]}
                onChange={(event) => onChange(event.target.value)}
              />
            );
          case "secret":
            return (
              <PasswordInput
                {...common}
                autoComplete="off"
                showLabel={words.show}
                hideLabel={words.hide}
                onChange={(event) => onChange(event.target.value)}
              />
            );
          case "number":
            return (
              <Input
                {...common}
                type="number"
                step="any"
                min={setting.min}
                max={setting.max}
                onChange={(event) => onChange(event.target.value)}
              />
            );
          default:
            return <Input {...common} onChange={(event) => onChange(event.target.value)} />;
        }
      }}
    </Field>
  );
}
