import { useQuery } from "@tanstack/react-query";
import { Wrench } from "lucide-react";
import { type FormEvent, useState } from "react";
import { common } from "@/lib/messages/common";
import { tools as words } from "@/lib/messages/tools";
import { Pill, type Tone } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Field, Input, TextArea } from "@/ui/field";
import { Empty, Problem, View } from "@/ui/states";
import { type Tool, toolsQuery, useCallTool } from "./queries";

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
          return (
            <ul className="card overflow-hidden">
              {shown.map((tool) => (
                <Row key={tool.name} tool={tool} mayUse={mayUse} />
              ))}
            </ul>
          );
        }}
      </View>
    </>
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
          <span className="hidden text-small text-fg-3 sm:inline">{tool.origin}</span>
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
      {mayUse && <RunOnce tool={tool.name} />}
    </div>
  );
}

function RunOnce({ tool }: { tool: string }) {
  const [text, setText] = useState("{}");
  const [wrong, setWrong] = useState<string>();
  const run = useCallTool();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      const args: unknown = JSON.parse(text);
      setWrong(undefined);
      run.mutate({ tool, args });
    } catch {
      setWrong(words.badJson);
    }
  };
  const out = run.data;
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <Field label={words.arguments} help={words.runHint} error={wrong}>
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
      <div>
        <Button type="submit" busy={run.isPending}>
          {words.run}
        </Button>
      </div>
      {run.error != null && <Problem error={run.error} title={common.errors.title} />}
      {out?.needs && <p className="ban warn">{words.waits}</p>}
      {out && !out.needs && (
        <section aria-label={words.result} role="status">
          {out.is_error && <p className="text-small text-bad">{words.failed}</p>}
          <pre className="well mono max-h-72 overflow-auto whitespace-pre-wrap break-words p-3 text-small">
            {out.parts.map((part) => part.text ?? JSON.stringify(part.json ?? part.path)).join("\n")}
          </pre>
        </section>
      )}
    </form>
  );
}
