import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { ApiError } from "@/api/errors";
import type { Agent } from "@/api/types";
import { agents as words } from "@/lib/messages/agents";
import { common } from "@/lib/messages/common";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Diff } from "@/ui/diff";
import { Section } from "@/ui/page";
import { Problem, View } from "@/ui/states";
import { type Mark, TextEditor } from "@/ui/text-editor";
import { toast } from "@/ui/toast";
import { agentFileQuery, checkAgents, useImportAgents } from "./queries";

/** The agent as a file: checked while it is written, and shown as a difference before it is saved. */
export function AgentYaml({ agent, mayWrite }: { agent: Agent; mayWrite: boolean }) {
  const file = useQuery(agentFileQuery(agent.name, agent.version));
  return (
    <Section title={words.yaml} note={words.yamlNote}>
      <View query={file} rows={12}>
        {(text) => <Editor key={text} agent={agent} text={text} mayWrite={mayWrite} />}
      </View>
    </Section>
  );
}

function Editor({ agent, text, mayWrite }: { agent: Agent; text: string; mayWrite: boolean }) {
  const [draft, setDraft] = useState(text);
  const [asking, setAsking] = useState(false);
  const wanted = useDeferredValue(draft);
  const check = useQuery({
    queryKey: ["agents", "check", agent.name, wanted],
    queryFn: ({ signal }) => checkAgents(wanted, signal),
    enabled: mayWrite && wanted !== text,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const touched = draft !== text;
  const marks = touched && check.error ? marksOf(check.error) : [];
  const warnings = check.data?.agents.flatMap((one) => one.warnings ?? []) ?? [];
  return (
    <div className="flex flex-col gap-3">
      <TextEditor label={words.yaml} value={draft} onChange={setDraft} marks={marks} readOnly={!mayWrite} />
      {warnings.length > 0 && (
        <ul className="text-small text-warn">
          {warnings.map((one) => (
            <li key={one.param + one.message}>
              {one.message} {one.hint}
            </li>
          ))}
        </ul>
      )}
      {mayWrite && (
        <div className="flex justify-end gap-2">
          <Button disabled={!touched} onClick={() => setDraft(text)}>
            {common.actions.undo}
          </Button>
          <Button
            look="solid"
            disabled={!touched || marks.length > 0}
            busy={check.isFetching}
            onClick={() => setAsking(true)}
          >
            {words.review}
          </Button>
        </div>
      )}
      {asking && <Save before={text} after={draft} onClose={() => setAsking(false)} />}
    </div>
  );
}

function Save({ before, after, onClose }: { before: string; after: string; onClose: () => void }) {
  const save = useImportAgents();
  const go = () =>
    save.mutate(after, {
      onSuccess: () => {
        toast.done(words.saved);
        onClose();
      },
    });
  return (
    <Dialog open onClose={onClose} title={words.reviewTitle} wide>
      <Diff before={before} after={after} />
      {save.error != null && <Problem error={save.error} title={common.errors.title} />}
      <DialogActions>
        <Button onClick={onClose}>{common.actions.cancel}</Button>
        <Button look="solid" busy={save.isPending} onClick={go}>
          {common.actions.save}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** What is wrong, at its line where the message names one. */
export function marksOf(error: unknown): Mark[] {
  const text = error instanceof Error ? error.message : String(error);
  const line = Number(/\bline (\d+)/.exec(text)?.[1] ?? /:(\d+):\d+/.exec(text)?.[1] ?? 0);
  const hint = error instanceof ApiError ? error.hint : undefined;
  return [{ line, text: [text, hint].filter(Boolean).join(" ") }];
}
