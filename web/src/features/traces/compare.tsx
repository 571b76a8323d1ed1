import clsx from "clsx";
import { Check, StickyNote } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import type { Run } from "@/api/types";
import { traces as words } from "@/lib/messages/traces";
import { itemMoney, short } from "@/lib/money";
import { duration } from "@/lib/time";
import { StatePill, Time } from "@/ui/bits";
import { Switch } from "@/ui/field";
import { Section } from "@/ui/page";
import { align, differs, type Pair } from "./align";
import { SpanPanel } from "./span-panel";
import type { Span } from "./spans";
import { firstOf, tookOf } from "./spread";
import { spanIcons } from "./waterfall";

type Side = { run: Run; spans: readonly Span[] };

/** Two runs beside each other: what they took, and their steps lined up with the differences marked. */
export function Comparison({
  left,
  right,
  hue,
  link,
  actions,
}: {
  left: Side;
  right: Side;
  hue: (agent: string) => string;
  link: (run: Run, children: ReactNode) => ReactNode;
  /** What can be done with one of the two. */
  actions: (run: Run) => ReactNode;
}) {
  const pairs = useMemo(() => align(left.spans, right.spans), [left.spans, right.spans]);
  const [only, setOnly] = useState(false);
  const [picked, setPicked] = useState<Pair>();
  const different = pairs.filter(differs).length;
  const shown = only ? pairs.filter(differs) : pairs;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {[left, right].map(({ run }, i) => (
          <section key={run.id} className="card flex min-w-0 flex-col gap-1 p-4" aria-label={sideName(i)}>
            <div className="flex items-center gap-2">
              <span className="badge">{sideName(i)}</span>
              <h2 className="trunc flex-1 font-semibold">{link(run, run.title)}</h2>
              <StatePill state={run.state} />
            </div>
            <p className="flex flex-wrap gap-x-3 text-small text-fg-3">
              <span className="mono">{run.model}</span>
              <span>{run.agent}</span>
              <Time at={run.created_at} />
            </p>
            {run.error && <p className="text-small text-bad">{run.error.message}</p>}
            <div className="mt-auto flex flex-wrap gap-2 pt-2 empty:hidden">{actions(run)}</div>
          </section>
        ))}
      </div>
      <Numbers left={left} right={right} />
      <Section
        title={words.lined}
        note={different === 0 ? words.noDifference : words.differences(different)}
        flush
        actions={
          <span className="flex items-center gap-2 text-small">
            <span aria-hidden="true">{words.onlyDifferent}</span>
            <Switch
              label={words.onlyDifferent}
              checked={only}
              onChange={(event) => setOnly(event.target.checked)}
            />
          </span>
        }
      >
        <ol className="cmp">
          {shown.map((pair) => (
            <li
              key={`${pair.left?.id ?? ""}|${pair.right?.id ?? ""}`}
              className={clsx(differs(pair) && "differs")}
            >
              <button type="button" onClick={() => setPicked(pair)}>
                <Cell span={pair.left} hue={hue} />
                <span className="mark" aria-hidden="true">
                  {differs(pair) ? "≠" : <Check />}
                </span>
                <Cell span={pair.right} hue={hue} />
                <span className="sr-only">{lineName(pair)}</span>
              </button>
            </li>
          ))}
        </ol>
      </Section>
      {picked && (
        <div className="grid gap-4 sm:grid-cols-2">
          {[picked.left, picked.right].map((span, i) => (
            <section key={sideName(i)} className="card min-w-0" aria-label={words.detailOf(sideName(i))}>
              {span ? <SpanPanel span={span} hue={hue} /> : <p className="p-4 text-fg-3">{words.notThere}</p>}
            </section>
          ))}
        </div>
      )}
    </>
  );
}

const sideName = (i: number) => (i === 0 ? words.left : words.right);

const lineName = (pair: Pair) =>
  words.line(
    (pair.left ?? pair.right)?.name ?? "",
    differs(pair) ? (pair.left && pair.right ? words.different : words.oneSided) : words.alike,
  );

function Cell({ span, hue }: { span: Span | undefined; hue: (agent: string) => string }) {
  if (!span) return <span className="cell none">{words.notThere}</span>;
  const Icon = spanIcons[span.kind] ?? StickyNote;
  const bad = span.state === "failed";
  return (
    <span className={clsx("cell", hue(span.agent))} style={{ paddingLeft: `${10 + span.depth * 14}px` }}>
      <Icon
        className={clsx("!h-3.5 !w-3.5 flex-none", bad && "text-bad")}
        style={bad ? undefined : { color: "var(--a)" }}
        aria-hidden="true"
      />
      <span className={clsx("whitespace-nowrap font-medium", bad && "text-bad")}>{span.name}</span>
      <span className="trunc flex-1 text-fg-3">{span.note}</span>
      <span className="num text-small text-fg-3">{duration(span.end - span.start)}</span>
    </span>
  );
}

/** Each number of both sides, and how much the second is over or under the first. */
function Numbers({ left, right }: { left: Side; right: Side }) {
  const rows: readonly [string, number | undefined, number | undefined, (n: number) => string][] = [
    [words.duration, tookOf(left.run), tookOf(right.run), duration],
    [words.first, firstOf(left.run), firstOf(right.run), duration],
    [words.tokensInto, left.run.usage?.input, right.run.usage?.input, short],
    [words.tokensOut, left.run.usage?.output, right.run.usage?.output, short],
    [words.cost, left.run.spent_micros, right.run.spent_micros, itemMoney],
    [words.turns, left.run.turns, right.run.turns, String],
    [words.calls, left.run.calls, right.run.calls, String],
    [words.spans, left.spans.length, right.spans.length, String],
  ];
  return (
    <Section title={words.numbers} flush>
      <div className="tw">
        <table className="table" aria-label={words.numbers}>
          <thead>
            <tr>
              <th scope="col">{words.measure}</th>
              <th scope="col" className="r">
                {words.left}
              </th>
              <th scope="col" className="r">
                {words.right}
              </th>
              <th scope="col" className="r">
                {words.change}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, a, b, text]) => (
              <tr key={name}>
                <th scope="row" className="!static font-normal text-fg-2">
                  {name}
                </th>
                <td className="num r">{a === undefined ? "–" : text(a)}</td>
                <td className="num r">{b === undefined ? "–" : text(b)}</td>
                <td className="num r text-fg-3">{changeText(a, b)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

/** How much more or less, in percent; nothing where it cannot be said. */
export function changeText(a: number | undefined, b: number | undefined): string {
  if (a === undefined || b === undefined) return "–";
  if (a === b) return "=";
  if (a === 0) return "–";
  const percent = Math.round(((b - a) / a) * 100);
  return percent > 0 ? `+${percent} %` : `${percent} %`;
}
