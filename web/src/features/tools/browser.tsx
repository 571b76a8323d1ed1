import { useQuery } from "@tanstack/react-query";
import { Wrench } from "lucide-react";
import { type FormEvent, useState } from "react";
import { type Fault, faultsOf, filled, kindOf, type Schema } from "@/lib/json-schema";
import { common } from "@/lib/messages/common";
import { tools as words } from "@/lib/messages/tools";
import { Pill, type Tone } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Field, Input, TextArea } from "@/ui/field";
import { Section } from "@/ui/page";
import { SchemaForm } from "@/ui/schema-form";
import { Segmented } from "@/ui/segmented";
import { Empty, Problem, View } from "@/ui/states";
import { groupsOf, nameOf } from "./groups";
import { type Tool, type ToolResult, toolsQuery, useCallTool } from "./queries";

/** Every tool there is, with what it takes, and a way to try it. */
export function ToolBrowser({ mayUse }: { mayUse: boolean }) {
  const tools = useQuery(toolsQuery);
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  return (
    <>
      <Input
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <View query={tools} rows={8}>
        {(page) => {
          const shown = page.data.filter((tool) =>
            `${tool.name} ${tool.title ?? ""} ${tool.description} ${tool.origin}`
              .toLowerCase()
              .includes(wanted),
          );
          if (shown.length === 0) return <Empty icon={<Wrench />} title={words.none} body={words.noneBody} />;
          return groupsOf(shown).map(({ origin, list }) => (
            <Section key={origin} title={nameOf(origin)} note={words.count(list.length)} flush>
              <ul>
                {list.map((tool) => (
                  <Row key={tool.name} tool={tool} mayUse={mayUse} />
                ))}
              </ul>
            </Section>
          ));
        }}
      </View>
    </>
  );
}

/** The tools of one MCP server, each with its schema and a form to call it. */
export function ToolsOf({ server, mayUse }: { server: string; mayUse: boolean }) {
  const tools = useQuery(toolsQuery);
  const mine = (list: readonly Tool[]) => list.filter((tool) => tool.origin === `mcp/${server}`);
  return (
    <View
      query={tools}
      rows={2}
      isEmpty={(page) => mine(page.data).length === 0}
      empty={<p className="text-small text-fg-3">{words.servers.noTools}</p>}
    >
      {(page) => (
        <ul className="well overflow-hidden" aria-label={words.servers.tools}>
          {mine(page.data).map((tool) => (
            <Row key={tool.name} tool={tool} mayUse={mayUse} />
          ))}
        </ul>
      )}
    </View>
  );
}

const tones: Record<Tool["level"], Tone> = { public: "plain", restricted: "warn", dangerous: "bad" };

function Row({ tool, mayUse }: { tool: Tool; mayUse: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <li className="border-t border-line first:border-t-0">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="flex min-h-11 cursor-pointer items-center gap-3 px-4 py-1.5">
          <span className="mono font-medium">{tool.name}</span>
          <span className="trunc flex-1 text-small text-fg-3">{tool.description.split("\n")[0]}</span>
          <Pill tone={tones[tool.level]}>{words.levels[tool.level]}</Pill>
        </summary>
        {open && <Inside tool={tool} mayUse={mayUse} />}
      </details>
    </li>
  );
}

function Inside({ tool, mayUse }: { tool: Tool; mayUse: boolean }) {
  return (
    <div className="flex flex-col gap-3 border-t border-line bg-sunken px-4 py-3">
      <p className="whitespace-pre-wrap text-fg-2">{tool.description}</p>
      <details>
        <summary className="cursor-pointer text-small text-fg-3">{words.schema}</summary>
        <pre className="mono mt-1 overflow-x-auto text-small">{JSON.stringify(tool.schema, null, 2)}</pre>
      </details>
      {mayUse && <RunOnce tool={tool} />}
    </div>
  );
}

/** Calls a tool with the fields of its schema, or with JSON. */
function RunOnce({ tool }: { tool: Tool }) {
  const schema = (tool.schema ?? {}) as Schema;
  const drawable = kindOf(schema) === "group";
  const [as, setAs] = useState<"form" | "json">(drawable ? "form" : "json");
  const [value, setValue] = useState<unknown>({});
  const [text, setText] = useState("{}");
  const [wrong, setWrong] = useState<string>();
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const run = useCallTool();
  const change = (next: "form" | "json") => {
    if (next === "json") setText(JSON.stringify(filled(value) ?? {}, null, 2));
    else
      try {
        setValue(JSON.parse(text));
      } catch {
        return setWrong(words.badJson);
      }
    setWrong(undefined);
    setAs(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (as === "form") {
      const found = faultsOf(schema, value);
      setFaults(found);
      if (found.length === 0) run.mutate({ tool: tool.name, args: filled(value) ?? {} });
      return;
    }
    try {
      const args: unknown = JSON.parse(text);
      setWrong(undefined);
      run.mutate({ tool: tool.name, args });
    } catch {
      setWrong(words.badJson);
    }
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={submit} aria-label={words.runOf(tool.name)}>
      {drawable && (
        <div>
          <Segmented
            label={words.as}
            value={as}
            options={[
              { value: "form", label: words.asForm },
              { value: "json", label: words.asJson },
            ]}
            onChange={change}
          />
        </div>
      )}
      {as === "form" ? (
        <SchemaForm schema={schema} value={value} onChange={setValue} faults={faults} />
      ) : (
        <Field label={words.arguments} error={wrong}>
          {(control) => (
            <TextArea
              className="mono min-h-16 py-2"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
              {...control}
            />
          )}
        </Field>
      )}
      <div className="flex items-center gap-3">
        <Button type="submit" busy={run.isPending}>
          {words.run}
        </Button>
        <span className="text-small text-fg-3">{words.runHint}</span>
      </div>
      {run.error != null && <Problem error={run.error} title={common.errors.title} />}
      {run.data && <Result result={run.data} />}
    </form>
  );
}

function Result({ result }: { result: ToolResult }) {
  if (result.needs) return <p className="ban warn">{words.waits}</p>;
  return (
    <section aria-label={words.result} role="status">
      {result.is_error && <p className="text-small text-bad">{words.failed}</p>}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="well mono max-h-72 overflow-auto whitespace-pre-wrap break-words p-3 text-small"
      >
        {result.parts.map((part) => part.text ?? JSON.stringify(part.json ?? part.path, null, 2)).join("\n")}
      </pre>
    </section>
  );
}
