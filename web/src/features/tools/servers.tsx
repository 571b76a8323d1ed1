import { useQuery } from "@tanstack/react-query";
import { Play, Plug, Plus, RotateCw, Square, Trash2 } from "lucide-react";
import { useState } from "react";
import { common } from "@/lib/messages/common";
import { tools } from "@/lib/messages/tools";
import { Pill, type Tone } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { useRemoval } from "@/ui/removal";
import { Empty, View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { AddServers } from "./add-servers";
import { ToolsOf } from "./browser";
import { Consent } from "./consent";
import {
  logsQuery,
  type Server,
  type ServerAction,
  serversQuery,
  useRemoveServer,
  useServerAction,
} from "./queries";
import { SignIn } from "./sign-in";

const words = tools.servers;

/** The MCP servers of the workspace. */
export function Servers({ mayWrite, mayUse }: { mayWrite: boolean; mayUse: boolean }) {
  const servers = useQuery(serversQuery);
  const remove = useRemoveServer();
  const [adding, setAdding] = useState(false);
  const [ask, dialog] = useRemoval<Server>({
    title: (server) => words.removeTitle(server.name),
    body: words.removeBody,
    action: words.remove,
    done: words.removed,
    remove: (server) => remove.mutateAsync(server.name),
  });
  const add = mayWrite && (
    <Button look="solid" onClick={() => setAdding(true)}>
      <Plus aria-hidden="true" />
      {words.add}
    </Button>
  );
  return (
    <>
      <View
        query={servers}
        isEmpty={(page) => page.data.length === 0}
        empty={
          <Empty icon={<Plug />} title={words.empty} body={words.emptyBody}>
            {add}
          </Empty>
        }
      >
        {(page) => (
          <>
            <div className="flex justify-end">{add}</div>
            <ul className="grid gap-3 lg:grid-cols-2">
              {page.data.map((server) => (
                <Card
                  key={server.name}
                  server={server}
                  mayWrite={mayWrite}
                  mayUse={mayUse}
                  onRemove={() => ask(server)}
                />
              ))}
            </ul>
          </>
        )}
      </View>
      {adding && <AddServers onClose={() => setAdding(false)} />}
      {dialog}
    </>
  );
}

const tones: Record<Server["state"], Tone> = {
  idle: "plain",
  starting: "run",
  ready: "ok",
  waiting: "bad",
  stopped: "line",
  needs_signin: "warn",
};

const failed = (error: unknown) => toast.failed(error, common.errors.title);

function Card({
  server,
  mayWrite,
  mayUse,
  onRemove,
}: {
  server: Server;
  mayWrite: boolean;
  mayUse: boolean;
  onRemove: () => void;
}) {
  const act = useServerAction();
  const [log, setLog] = useState(false);
  const [list, setList] = useState(false);
  const go = (action: ServerAction) => act.mutate({ server: server.name, action }, { onError: failed });
  const up = server.state === "ready" || server.state === "starting";
  return (
    <li className="card flex min-w-0 flex-col gap-2 p-4">
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 flex-1 font-semibold">{server.name}</h3>
        <Pill tone={tones[server.state]}>{words.states[server.state]}</Pill>
      </div>
      <p className="mono trunc text-small text-fg-3">
        {server.url ?? [server.command, ...(server.args ?? [])].join(" ")}
      </p>
      <p className="text-small text-fg-2">
        {server.transport} · {words.count(server.tools)}
        {server.source === "settings" && ` · ${words.settings}`}
        {server.plugin && ` · ${words.plugin(server.plugin)}`}
      </p>
      {server.reason && (
        <p className="text-small text-bad">
          {server.reason} {server.hint}
        </p>
      )}
      {server.sign_in && <SignIn server={server} />}
      {server.waiting > 0 && <Consent server={server} mayWrite={mayWrite} />}
      <div className="mt-auto flex flex-wrap gap-1">
        {mayWrite &&
          (up ? (
            <>
              <IconButton label={words.stop} busy={act.isPending} onClick={() => go("stop")}>
                <Square aria-hidden="true" />
              </IconButton>
              <IconButton label={words.restart} busy={act.isPending} onClick={() => go("restart")}>
                <RotateCw aria-hidden="true" />
              </IconButton>
            </>
          ) : (
            <IconButton label={words.start} busy={act.isPending} onClick={() => go("start")}>
              <Play aria-hidden="true" />
            </IconButton>
          ))}
        {mayWrite && server.source === "stored" && (
          <IconButton label={words.remove} onClick={onRemove}>
            <Trash2 aria-hidden="true" />
          </IconButton>
        )}
        <span className="flex-1" />
        <Button look="ghost" aria-expanded={list} onClick={() => setList(!list)}>
          {words.tools}
        </Button>
        <Button look="ghost" aria-expanded={log} onClick={() => setLog(!log)}>
          {words.logs}
        </Button>
      </div>
      {list && <ToolsOf server={server.name} mayUse={mayUse} />}
      {log && <Log server={server.name} />}
    </li>
  );
}

function Log({ server }: { server: string }) {
  const logs = useQuery(logsQuery(server));
  return (
    <View
      query={logs}
      isEmpty={(page) => page.lines.length === 0}
      empty={<p className="text-small text-fg-3">{words.noLogs}</p>}
    >
      {(page) => (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="well mono max-h-56 overflow-auto whitespace-pre-wrap break-words p-2 text-small"
        >
          {page.lines.map((line) => line.text).join("\n")}
        </pre>
      )}
    </View>
  );
}
