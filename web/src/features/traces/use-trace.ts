import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { isFinal } from "@/ui/bits";
import { stepsQuery, traceHelpersQuery, traceQuery } from "./queries";
import { type Span, spansOf, type Tree } from "./spans";

/** A run with all of its steps and those of its helpers; it is followed while it is at work. */
export function useTrace(id: string) {
  const run = useQuery(traceQuery(id));
  const live = run.data !== undefined && !isFinal(run.data.state);
  const every = live ? 1000 : false;
  useQuery({ ...traceQuery(id), refetchInterval: every });
  const steps = useQuery({ ...stepsQuery(id), refetchInterval: every });
  const helpers = useQuery({ ...traceHelpersQuery(id), refetchInterval: every });
  const inner = useQueries({
    queries: (helpers.data?.data ?? []).map((one) => ({ ...stepsQuery(one.id), refetchInterval: every })),
  });
  const now = useNow(live);
  const innerSteps = inner.map((one) => one.data);
  const known = innerSteps.map((one) => one?.data.length ?? -1).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `known` stands for the steps of the helpers
  const spans = useMemo((): Span[] => {
    if (!run.data || !steps.data) return [];
    const tree: Tree = {
      run: run.data,
      steps: steps.data.data,
      helpers: (helpers.data?.data ?? []).map((one, i) => ({
        run: one,
        steps: innerSteps[i]?.data ?? [],
        helpers: [],
      })),
    };
    return spansOf(tree, now);
  }, [run.data, steps.data, helpers.data, known, now]);
  const failed = [run, steps, helpers].find((query) => query.error);
  return {
    run: run.data,
    ready: run.data !== undefined && steps.data !== undefined,
    spans,
    error: failed?.error,
    retry: () => {
      for (const query of [run, steps, helpers]) void query.refetch();
    },
  };
}

/** A clock for what is still running. */
function useNow(live: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [live]);
  return now;
}
