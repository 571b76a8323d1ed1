import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { useEffect, useState } from "react";
import type { Run } from "@/api/types";
import { recentRunsQuery } from "@/features/runs/queries";
import { isActive } from "@/features/runs/stream";
import { overview } from "@/lib/messages/overview";
import { itemMoney } from "@/lib/money";
import { duration } from "@/lib/time";
import { Glyph, StatePill } from "@/ui/bits";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { useHues } from "../traces/hues";

const words = overview.now;

/** What is at work this second: who, on what, since when, for how much. */
export function Now() {
  const runs = useQuery(recentRunsQuery);
  return (
    <Section title={words.title} flush>
      <View
        query={runs}
        rows={2}
        isEmpty={(page) => !page.data.some(isActive)}
        empty={<Empty title={words.empty} body={words.emptyBody} />}
      >
        {(page) => (
          <ul>
            {page.data.filter(isActive).map((run) => (
              <Row key={run.id} run={run} />
            ))}
          </ul>
        )}
      </View>
    </Section>
  );
}

function Row({ run }: { run: Run }) {
  const hue = useHues();
  const now = useClock();
  const need = run.needs?.[0];
  return (
    <li>
      <Link
        to="/chat/$id"
        params={{ id: run.conversation }}
        className="flex min-h-[var(--row)] items-center gap-3 border-b border-line px-4 py-2 hover:bg-hover"
      >
        <Glyph hue={hue(run.agent)}>
          <Bot />
        </Glyph>
        <span className="min-w-0 flex-1">
          <span className="trunc block">{run.task ?? run.title}</span>
          <span className="trunc block text-small text-fg-3">
            {run.agent}
            {need && ` · ${need.question || need.tool}`}
          </span>
        </span>
        <span className="num text-small text-fg-3">
          {duration(now - Date.parse(run.started_at ?? run.created_at))}
        </span>
        <span className="num text-small text-fg-3 max-sm:hidden">{itemMoney(run.spent_micros)}</span>
        <StatePill state={run.state} />
      </Link>
    </li>
  );
}

function useClock(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
