import { Link, useSearch } from "@tanstack/react-router";
import { ChevronRight, Columns2 } from "lucide-react";
import { Comparison } from "@/features/traces/compare";
import { useTrace } from "@/features/traces/use-trace";
import { traces as words } from "@/lib/messages/traces";
import { PageBody, TopBar } from "@/ui/page";
import { Empty, Problem, Skeleton, Stale } from "@/ui/states";
import { Afterwards } from "./after";
import { useHues } from "./hues";

/** Two runs side by side; which two is in the address. */
export default function CompareRoute() {
  const { a, b } = useSearch({ from: "/shell/traces/compare" });
  return (
    <>
      <TopBar
        title={words.compareTitle}
        before={
          <Link to="/traces" className="flex items-center gap-1 text-fg-3 hover:text-fg">
            {words.title}
            <ChevronRight className="!h-3.5 !w-3.5" aria-hidden="true" />
          </Link>
        }
      />
      <PageBody>
        {a && b ? (
          <Both key={`${a} ${b}`} a={a} b={b} />
        ) : (
          <Empty icon={<Columns2 />} title={words.compareNone} body={words.compareNoneBody}>
            <Link to="/traces" className="btn">
              {words.back}
            </Link>
          </Empty>
        )}
      </PageBody>
    </>
  );
}

function Both({ a, b }: { a: string; b: string }) {
  const left = useTrace(a);
  const right = useTrace(b);
  const hue = useHues();
  const failed = [left, right].find((side) => side.error && !side.ready);
  if (failed) return <Problem error={failed.error} retry={failed.retry} />;
  if (!left.ready || !right.ready || !left.run || !right.run) return <Skeleton rows={10} height={20} />;
  const old = [left, right].find((side) => side.error);
  return (
    <>
      {old && <Stale retry={old.retry} />}
      <Comparison
        left={{ run: left.run, spans: left.spans }}
        right={{ run: right.run, spans: right.spans }}
        hue={hue}
        actions={(run) => <Afterwards run={run} />}
        link={(run, children) => (
          <Link to="/traces/$run" params={{ run: run.id }} className="link">
            {children}
          </Link>
        )}
      />
    </>
  );
}
