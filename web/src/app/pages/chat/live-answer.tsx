import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense } from "react";
import type { Run } from "@/api/types";
import { type DrawCalls, type Speaker, StreamingMessage } from "@/features/conversations/message";
import { streamQuery, workQuery } from "@/features/runs/queries";
import { liveTurns } from "@/features/runs/work";
import { chat } from "@/lib/messages/chat";
import { onDemand } from "@/lib/on-demand";

const Needs = onDemand(() => import("./work"), "Needs");

/** Keeps what a run has written, also while its row is scrolled out of sight, and draws nothing for it. */
export function useKeptAnswer(run: Run | undefined): void {
  const cache = useQueryClient();
  const quiet = { enabled: !!run, notifyOnChangeProps: [] };
  useQuery({ ...streamQuery(run ?? { id: "", answer: "" }, cache), ...quiet });
  useQuery({ ...workQuery(run?.id ?? ""), ...quiet, enabled: false });
}

/** The answer a run writes. It alone hears every piece of it, so that nothing else of the page is drawn again for one. */
export function LiveAnswer({
  run,
  silent,
  speaker,
  calls,
  mayAnswer,
}: {
  run: Run;
  /** Its words so far are not shown: another question was asked since. */
  silent: boolean;
  speaker: Speaker;
  calls: DrawCalls;
  mayAnswer: boolean;
}) {
  const cache = useQueryClient();
  const stream = useQuery(streamQuery(run, cache));
  const done = useQuery({ ...workQuery(run.id), enabled: false });
  const { needs } = done.data;
  const waits = needs.length > 0;
  return (
    <StreamingMessage
      turns={silent ? [] : liveTurns(done.data, stream.data?.text ?? "")}
      speaker={speaker}
      calls={calls}
      note={waits ? chat.thread.waiting : undefined}
    >
      {waits && (
        <Suspense>
          <Needs needs={needs} mayAnswer={mayAnswer} />
        </Suspense>
      )}
    </StreamingMessage>
  );
}
