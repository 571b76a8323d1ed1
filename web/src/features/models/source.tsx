import { useQuery } from "@tanstack/react-query";
import { Check, KeyRound, Server, Sparkles, Terminal } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import type { FoundModels, Provider } from "@/api/types";
import { models } from "@/lib/messages/models";
import { start } from "@/lib/messages/start";
import { Glyph, Pill, Spinner } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Field, Select } from "@/ui/field";
import { Problem, View } from "@/ui/states";
import { KeyForm } from "./key-form";
import { foundQuery, providersQuery, useSaveSettings } from "./queries";

const words = models.source;

/** A place answers can come from, and the settings that make it so. */
export type Choice = {
  id: string;
  kind: "key" | "login" | "server" | "paste" | "demo";
  title: string;
  body: string;
  done: string;
  models: string[];
  settings: (model: string) => Record<string, unknown>;
};

const demoModel = "demo/assistant";

/** What there is to choose from; what was found on the machine comes first. */
export function choicesOf(found: FoundModels, current: string): Choice[] {
  const use = (model: string | undefined, more: Record<string, unknown> = {}) => ({
    ...more,
    ...(model && model !== current ? { "models.default": model } : {}),
  });
  return [
    ...found.keys.map(
      (one): Choice => ({
        id: `key/${one.provider}`,
        kind: "key",
        title: one.title,
        body: `${words.variable(one.variable)}. ${words.keyBody}`,
        done: one.title,
        models: [],
        settings: () => use(one.model),
      }),
    ),
    ...found.logins
      .filter((one) => one.state !== "broken")
      .map(
        (one): Choice => ({
          id: `login/${one.provider}`,
          kind: "login",
          title: words.login(one.title),
          body: words.loginBody(one.plan ?? ""),
          done: one.title,
          models: [],
          settings: () => use(one.model, { [`providers.${one.provider}.use_cli_login`]: true }),
        }),
      ),
    ...found.servers
      .filter((one) => one.models.length > 0)
      .map(
        (one): Choice => ({
          id: `server/${one.provider}`,
          kind: "server",
          title: one.title,
          body: words.server(one.title, one.base_url),
          done: one.title,
          models: one.models.map((model) => `${one.provider}/${model.id}`),
          settings: (model) => use(model, { [`providers.${one.provider}.enabled`]: true }),
        }),
      ),
    {
      id: "paste",
      kind: "paste",
      title: words.paste,
      body: words.pasteBody,
      done: words.paste,
      models: [],
      settings: () => ({}),
    },
    {
      id: "demo",
      kind: "demo",
      title: start.setup.model.demo,
      body: start.setup.model.demoBody,
      done: start.setup.model.demo,
      models: [],
      settings: () => use(demoModel),
    },
  ];
}

/** Where answers come from: found things first, then a pasted key, then the demo model. */
export function PickSource({ current, onDone }: { current: string; onDone: (source: string) => void }) {
  const found = useQuery(foundQuery);
  const providers = useQuery(providersQuery);
  if (found.isPending || providers.isPending) {
    return (
      <p role="status" className="flex items-center gap-2 py-6 text-fg-3">
        <Spinner />
        {words.looking}
      </p>
    );
  }
  // Nothing found is the answer when looking around failed: the other ways stay open.
  const around = found.data ?? { keys: [], logins: [], servers: [] };
  return (
    <View query={providers}>
      {(page) => (
        <Choices
          current={current}
          choices={choicesOf(around, current)}
          providers={page.data}
          onDone={onDone}
        />
      )}
    </View>
  );
}

function Choices({
  current,
  choices,
  providers,
  onDone,
}: {
  current: string;
  choices: readonly Choice[];
  providers: readonly Provider[];
  onDone: (source: string) => void;
}) {
  const first = choices.find((one) => one.kind === "key") ?? choices.find((one) => one.kind === "demo");
  const [picked, setPicked] = useState(first?.id ?? "demo");
  const [model, setModel] = useState("");
  const save = useSaveSettings();
  const choice = choices.find((one) => one.id === picked);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!choice) return;
    const set = choice.settings(model || (choice.models[0] ?? ""));
    if (Object.keys(set).length > 0 && !(await save.mutateAsync(set).catch(() => undefined))) return;
    onDone(choice.done);
  };
  // A new key is used by itself, unless another one was there before.
  const pasted = async (name: string) => {
    const provider = providers.find((one) => one.provider === name);
    const set =
      provider?.model && !current.startsWith("demo/") ? { "models.default": provider.model } : undefined;
    if (set && !(await save.mutateAsync(set).catch(() => undefined))) return;
    onDone(provider?.title ?? name);
  };
  const paste = choice?.kind === "paste";
  return (
    <div className="flex flex-col gap-3">
      <div role="radiogroup" aria-label={start.setup.model.title} className="flex flex-col gap-3">
        {choices.map((one) => (
          <Option key={one.id} choice={one} checked={one.id === picked} onPick={() => setPicked(one.id)} />
        ))}
      </div>
      {paste ? (
        <KeyForm providers={providers} onDone={(provider) => void pasted(provider)}>
          {(busy) => (
            <>
              {save.error && <Problem error={save.error} title={words.failed} />}
              <Foot busy={busy} label={busy ? models.testing : words.submit} />
            </>
          )}
        </KeyForm>
      ) : (
        <form className="flex flex-col gap-3" onSubmit={(event) => void submit(event)}>
          {choice && choice.models.length > 0 && (
            <Field label={words.serverModel}>
              {(control) => (
                <Select
                  options={choice.models.map((one) => ({ value: one, label: one }))}
                  value={model || (choice.models[0] ?? "")}
                  onChange={(event) => setModel(event.target.value)}
                  {...control}
                />
              )}
            </Field>
          )}
          {save.error && <Problem error={save.error} title={words.failed} />}
          <Foot busy={save.isPending} label={save.isPending ? words.busy : words.submit} />
        </form>
      )}
    </div>
  );
}

const icons: Record<Choice["kind"], ReactNode> = {
  key: <KeyRound />,
  login: <Terminal />,
  server: <Server />,
  paste: <KeyRound />,
  demo: <Sparkles />,
};

function Option({ choice, checked, onPick }: { choice: Choice; checked: boolean; onPick: () => void }) {
  const hue = choice.kind === "demo" ? "h-amber" : choice.kind === "paste" ? "h-azure" : "h-iris";
  const pill =
    choice.kind === "demo"
      ? start.setup.model.demoPill
      : choice.kind === "paste"
        ? words.pastePill
        : words.foundPill;
  return (
    <label className={`opt ${hue}`}>
      <input type="radio" name="source" className="sr-only" checked={checked} onChange={onPick} />
      <Glyph hue={hue} size="xl">
        {icons[choice.kind]}
      </Glyph>
      <span className="text-[14px] font-medium">{choice.title}</span>
      <Pill tone={choice.kind === "paste" ? "line" : "ok"}>
        {choice.kind !== "paste" && <Check aria-hidden="true" />}
        {pill}
      </Pill>
      <span className="su">{choice.body}</span>
    </label>
  );
}

function Foot({ busy, label }: { busy: boolean; label: string }) {
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-3">
      <span className="min-w-[180px] flex-1 text-small text-fg-3">{start.setup.model.foot}</span>
      <Button type="submit" look="solid" large busy={busy}>
        {label}
      </Button>
    </div>
  );
}
