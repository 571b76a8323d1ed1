import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Agent } from "@/api/types";
import { words as sentence } from "@/lib/format";
import { agents as words } from "@/lib/messages/agents";
import { common } from "@/lib/messages/common";
import { Pill, Time } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Diff } from "@/ui/diff";
import { Section } from "@/ui/page";
import { View } from "@/ui/states";
import { toast } from "@/ui/toast";
import { agentVersionsQuery, compareQuery, useRollBack } from "./queries";

/** What an agent was before, how that differs from now, and the way back. */
export function AgentVersions({ agent, mayWrite }: { agent: Agent; mayWrite: boolean }) {
  const versions = useQuery(agentVersionsQuery(agent.name));
  const [shown, setShown] = useState<number>();
  const preset = agent.version > 0 && agent.origin === "workspace";
  return (
    <Section title={words.versions} flush>
      <View
        query={versions}
        isEmpty={(page) => page.data.length === 0}
        empty={<p className="px-4 py-3 text-fg-3">{words.noVersions}</p>}
      >
        {(page) => (
          <ul className="flex flex-col">
            {[
              ...page.data.map(({ version, change, at }) => ({ version, change, at })),
              ...(preset ? [{ version: 0, change: words.origins.preset ?? "", at: undefined }] : []),
            ].map((one) => (
              <li
                key={one.version}
                className="flex min-h-11 flex-wrap items-center gap-3 border-b border-line px-4 py-1 last:border-0"
              >
                <span className="num font-medium">{words.version(one.version)}</span>
                <span className="text-fg-2">{one.change}</span>
                <span className="flex-1" />
                {one.at && <Time at={one.at} className="text-small text-fg-3" />}
                {one.version === agent.version ? (
                  <Pill tone="ok">{words.present}</Pill>
                ) : (
                  <Button onClick={() => setShown(one.version)}>{words.compare}</Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </View>
      {shown !== undefined && (
        <Compare agent={agent} version={shown} mayWrite={mayWrite} onClose={() => setShown(undefined)} />
      )}
    </Section>
  );
}

function Compare({
  agent,
  version,
  mayWrite,
  onClose,
}: {
  agent: Agent;
  version: number;
  mayWrite: boolean;
  onClose: () => void;
}) {
  const query = useQuery(compareQuery(agent.name, version, agent.version));
  const back = useRollBack(agent.name);
  const go = () =>
    back.mutate(version, {
      onSuccess: () => {
        toast.done(words.rolledBack);
        onClose();
      },
      onError: (error) => toast.failed(error, common.errors.title),
    });
  return (
    <Dialog open onClose={onClose} title={words.compareTitle(version, agent.version)} wide>
      <View
        query={query}
        isEmpty={(page) => page.differences.length === 0}
        empty={<p className="text-fg-3">{words.noDifference}</p>}
      >
        {(page) => (
          <ul className="flex max-h-[60vh] flex-col gap-3 overflow-y-auto">
            {page.differences.map(({ field, from, to }) => (
              <li key={field}>
                <h3 className="mb-1 text-small font-medium">{sentence(field)}</h3>
                <Diff before={fieldText(from)} after={fieldText(to)} />
              </li>
            ))}
          </ul>
        )}
      </View>
      <DialogActions>
        <Button onClick={onClose}>{common.actions.close}</Button>
        {mayWrite && (
          <Button look="solid" busy={back.isPending} onClick={go}>
            {words.rollBack}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

const fieldText = (value: unknown) =>
  value === null || value === undefined
    ? ""
    : typeof value === "string"
      ? value
      : JSON.stringify(value, null, 2);
