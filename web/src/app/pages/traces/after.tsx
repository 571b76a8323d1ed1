import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FlaskConical, MessageSquareReply } from "lucide-react";
import { useState } from "react";
import { isAside } from "@/api/aside";
import type { Run } from "@/api/types";
import { noteConversation, renewMessages } from "@/features/conversations/queries";
import { KeepDialog } from "@/features/traces/cases/keep";
import { useContinue } from "@/features/traces/queries";
import { common } from "@/lib/messages/common";
import { traces } from "@/lib/messages/traces";
import { isFinal } from "@/ui/bits";
import { Button } from "@/ui/button";
import { toast } from "@/ui/toast";
import { useCan } from "../../session";

/** What can be done with the answer of a run: the chat goes on from a replay, and what went well is kept as a test case. */
export function Afterwards({ run }: { run: Run }) {
  const can = useCan();
  if (!can("runs:write") || run.parent) return null;
  const why = obstacle(run);
  return (
    <>
      {isAside(run) && <Continue run={run} why={why} />}
      {(isAside(run) || !why) && <Keep run={run} why={why} />}
    </>
  );
}

/** Why there is no answer to go on with; undefined: there is. */
function obstacle(run: Run): string | undefined {
  if (!isFinal(run.state)) return traces.notOver;
  return run.state === "finished" ? undefined : traces.noAnswer;
}

type Props = { run: Run; why: string | undefined };

function Continue({ run, why }: Props) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const go = useContinue();
  const start = () =>
    go.mutate(run.id, {
      onSuccess: async ({ conversation }) => {
        noteConversation(cache, conversation);
        await renewMessages(cache, conversation.id);
        void navigate({ to: "/chat/$id", params: { id: conversation.id }, hash: "write" });
      },
      onError: (error) => toast.failed(error, common.errors.title),
    });
  return (
    <Button look="accent" disabled={!!why} title={why} busy={go.isPending} onClick={start}>
      <MessageSquareReply aria-hidden="true" />
      {traces.continue}
    </Button>
  );
}

function Keep({ run, why }: Props) {
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const kept = () => {
    setOpen(false);
    toast.done(traces.cases.kept, traces.cases.keptHint, {
      label: traces.cases.show,
      run: () => void navigate({ to: "/traces/cases" }),
    });
  };
  return (
    <>
      <Button disabled={!!why} title={why} onClick={() => setOpen(true)}>
        <FlaskConical aria-hidden="true" />
        {traces.cases.keep}
      </Button>
      {open && <KeepDialog run={run} onClose={() => setOpen(false)} onKept={kept} />}
    </>
  );
}
