import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "@/lib/messages/common";
import { tools } from "@/lib/messages/tools";
import { Button } from "@/ui/button";
import { View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { type Server, type ServerTool, serverToolsQuery, useConsent } from "./queries";

const words = tools.servers;

const failed = (error: unknown) => toast.failed(error, common.errors.title);

const waits = (tool: ServerTool) => tool.state === "new" || tool.state === "changed";

/** What a server now says of its tools, beside what was agreed to: nothing is agreed to unseen. */
export function Consent({ server, mayWrite }: { server: Server; mayWrite: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <p className="ban warn">
        <span className="flex-1">{words.consent(server.waiting)}</span>
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          {words.look}
        </Button>
      </p>
      {open && <Changes server={server.name} mayWrite={mayWrite} />}
    </>
  );
}

function Changes({ server, mayWrite }: { server: string; mayWrite: boolean }) {
  const list = useQuery(serverToolsQuery(server));
  const consent = useConsent();
  const agree = (names: string[]) =>
    consent.mutate({ server, tools: names }, { onSuccess: () => toast.done(words.agreed), onError: failed });
  return (
    <View query={list} isEmpty={(page) => !page.data.some(waits)} empty={null}>
      {(page) => (
        <ul className="flex flex-col gap-3">
          {page.data.filter(waits).map((tool) => (
            <li key={tool.tool} className="flex min-w-0 flex-col gap-2">
              <div className="flex items-center gap-2">
                <h4 className="mono min-w-0 flex-1 text-small">{tool.tool}</h4>
                {mayWrite && (
                  <Button busy={consent.isPending} onClick={() => agree([tool.tool])}>
                    {words.agreeTo(tool.tool)}
                  </Button>
                )}
              </div>
              <Diff text={tool.diff ?? ""} />
            </li>
          ))}
        </ul>
      )}
    </View>
  );
}

const tone = (line: string) =>
  line.startsWith("+") ? "text-ok" : line.startsWith("-") ? "text-bad line-through" : "text-fg-3";

function Diff({ text }: { text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="well mono max-h-56 overflow-auto whitespace-pre-wrap break-words p-2 text-small"
    >
      {text.split("\n").map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text have no other name
        <span key={at} className={tone(line)}>
          {line}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
