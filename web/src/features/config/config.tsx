import { useQuery } from "@tanstack/react-query";
import { Pencil, TriangleAlert } from "lucide-react";
import { type FormEvent, useMemo, useState } from "react";
import type { Config, ConfigValue } from "@/api/types";
import { rank } from "@/lib/fuzzy";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { Pill } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Checkbox, Field, Input, TextArea } from "@/ui/field";
import { Section } from "@/ui/page";
import { Empty, Problem, View } from "@/ui/states";
import { type Column, Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { configQuery, useSaveConfig } from "./queries";
import { editorOf, editText, parseValue } from "./value";

const words = settings.config;

/** Every setting, where it comes from, and a way to change it that keeps the comments of the file. */
export function ConfigList({
  mayChange,
  search,
  onSearch,
}: {
  mayChange: boolean;
  search: string;
  onSearch: (text: string) => void;
}) {
  const query = useQuery(configQuery);
  const [editing, setEditing] = useState<ConfigValue>();
  return (
    <>
      <Notices config={query.data} />
      <Section
        title={settings.pages.config}
        note={query.data?.file}
        flush
        actions={
          <Input
            type="search"
            className="max-w-[220px]"
            aria-label={words.search}
            placeholder={words.search}
            value={search}
            onChange={(event) => onSearch(event.target.value)}
          />
        }
      >
        <View query={query} rows={10}>
          {(config) => (
            <Values values={config.values} search={search} {...(mayChange ? { onEdit: setEditing } : {})} />
          )}
        </View>
      </Section>
      {editing && <Edit item={editing} etag={query.data?.etag} onClose={() => setEditing(undefined)} />}
    </>
  );
}

function Notices({ config }: { config: Config | undefined }) {
  if (!config) return null;
  return (
    <>
      {config.problems.length > 0 && (
        <div role="alert" className="ban bad items-start">
          <TriangleAlert className="mt-0.5" aria-hidden="true" />
          <div>
            <p className="font-medium">{words.problems(config.problems.length)}</p>
            <ul>
              {config.problems.map((problem) => (
                <li key={`${problem.where}${problem.key}${problem.message}`}>
                  <span className="mono">{[problem.where, problem.key].filter(Boolean).join(" ")}</span>{" "}
                  {problem.message}. {problem.hint}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {config.pending.length > 0 && (
        <div role="status" className="ban warn">
          <TriangleAlert aria-hidden="true" />
          <span>
            {words.waiting} <span className="mono">{config.pending.map((diff) => diff.key).join(", ")}</span>
          </span>
        </div>
      )}
    </>
  );
}

function Values({
  values,
  search,
  onEdit,
}: {
  values: ConfigValue[];
  search: string;
  onEdit?: (item: ConfigValue) => void;
}) {
  const shown = useMemo(
    () => rank(search, values, (item) => `${item.key} ${item.doc}`).map(({ item }) => item),
    [values, search],
  );
  if (shown.length === 0) return <Empty title={words.none} body={words.noneBody} />;
  const columns: Column<ConfigValue>[] = [
    {
      head: words.key,
      cell: (item) => (
        <span className="flex max-w-[420px] flex-col">
          <span className="mono">{item.key}</span>
          <span className="text-small text-fg-3">{item.doc}</span>
        </span>
      ),
    },
    {
      head: words.value,
      cell: (item) =>
        item.value === "" ? (
          <span className="text-fg-3">{words.unset}</span>
        ) : (
          <span className="mono break-all">{item.value}</span>
        ),
    },
    {
      head: words.origin,
      cell: (item) => (
        <span className="flex flex-col">
          <span className={item.origin.source === "default" ? "text-fg-3" : ""}>
            {words.origins[item.origin.source] ?? item.origin.source}
          </span>
          {item.origin.where && <span className="mono text-small text-fg-3">{item.origin.where}</span>}
        </span>
      ),
    },
    {
      head: words.live,
      cell: (item) => <Pill tone={item.live ? "ok" : "line"}>{item.live ? words.live : words.restart}</Pill>,
    },
  ];
  if (onEdit) {
    columns.push({
      head: words.edit,
      hideHead: true,
      right: true,
      cell: (item) => (
        <IconButton label={`${words.edit} ${item.key}`} onClick={() => onEdit(item)}>
          <Pencil aria-hidden="true" />
        </IconButton>
      ),
    });
  }
  return <Table label={settings.pages.config} rows={shown} id={(item) => item.key} columns={columns} />;
}

function Edit({ item, etag, onClose }: { item: ConfigValue; etag: string | undefined; onClose: () => void }) {
  const [text, setText] = useState(() => editText(item));
  const [badJson, setBadJson] = useState(false);
  const save = useSaveConfig();
  const kind = editorOf(item.type);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const parsed = parseValue(item.type, text);
    if ("problem" in parsed) return setBadJson(true);
    const saved = await save
      .mutateAsync({ set: { [item.key]: parsed.value }, ...(etag ? { etag } : {}) })
      .catch(() => undefined);
    if (!saved) return;
    const shadow = saved.shadowed?.[item.key];
    if (shadow) toast.info(words.shadowed(item.key, shadow.where ?? shadow.source));
    else if (saved.change.needs_restart.length > 0)
      toast.info(words.savedRestart(saved.change.needs_restart.map((diff) => diff.key).join(", ")));
    else toast.done(words.saved);
    onClose();
  };

  return (
    <Dialog open onClose={onClose} title={item.key} body={item.doc}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        {kind === "switch" ? (
          <Checkbox
            label={item.key}
            checked={text === "true"}
            onChange={(event) => setText(String(event.target.checked))}
          />
        ) : (
          <Field
            label={words.value}
            help={
              item.secret
                ? words.secretHelp
                : kind === "list"
                  ? words.listHelp
                  : kind === "table"
                    ? words.jsonHelp
                    : item.default && words.default(item.default)
            }
            error={badJson ? words.badJson : undefined}
          >
            {(control) =>
              kind === "list" || kind === "table" ? (
                <TextArea
                  rows={5}
                  className="mono"
                  spellCheck={false}
                  value={text}
                  onChange={(event) => setText(event.target.value)}
                  {...control}
                />
              ) : (
                <Input
                  autoFocus
                  className="mono"
                  type={item.secret ? "password" : kind === "number" ? "number" : "text"}
                  autoComplete="off"
                  spellCheck={false}
                  value={text}
                  onChange={(event) => setText(event.target.value)}
                  {...control}
                />
              )
            }
          </Field>
        )}
        <p className="text-small text-fg-3">{words.env(item.env)}</p>
        {save.error && <Problem error={save.error} title={common.errors.title} />}
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" busy={save.isPending}>
            {common.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
