import clsx from "clsx";
import { traces as words } from "@/lib/messages/traces";
import { duration } from "@/lib/time";
import { histogram, percentile, readTook, slowerThan } from "./spread";

/** How long runs take: a histogram whose bars narrow the list, and three percentiles. */
export function Strip({
  durations,
  picked,
  onPick,
}: {
  durations: readonly number[];
  picked: string | undefined;
  onPick: (took: string | undefined) => void;
}) {
  if (durations.length < 3) return null;
  const range = readTook(picked);
  const bins = histogram(durations);
  const high = Math.max(...bins.map((bin) => bin.count), 1);
  return (
    <div className="strip">
      <fieldset className="hist" aria-label={words.histogram}>
        {bins.map((bin) => {
          const on = range !== undefined && bin.from >= range.from && bin.to <= range.to;
          const span = `${bin.from}-${bin.to}`;
          return (
            <button
              key={bin.from}
              type="button"
              aria-label={words.bin(duration(bin.from), duration(bin.to), bin.count)}
              aria-pressed={on}
              disabled={bin.count === 0}
              title={words.bin(duration(bin.from), duration(bin.to), bin.count)}
              className={clsx(on && "on", range && !on && "off")}
              onClick={() => onPick(on ? undefined : span)}
            >
              <i style={{ height: `${bin.count === 0 ? 3 : 12 + (bin.count / high) * 88}%` }} />
            </button>
          );
        })}
      </fieldset>
      <Percentiles durations={durations} />
    </div>
  );
}

export function Percentiles({ durations }: { durations: readonly number[] }) {
  const sorted = [...durations].sort((a, b) => a - b);
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-small text-fg-3" aria-label={words.percentiles}>
      {[50, 95, 99].map((p) => (
        <div key={p} className="flex gap-1.5">
          <dt>P{p}</dt>
          <dd className="num font-medium text-fg">{duration(percentile(sorted, p) ?? 0)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Where one run stands among others of its agent. */
export function Standing({ took, durations }: { took: number; durations: readonly number[] }) {
  if (durations.length < 3) return null;
  const bins = histogram(durations);
  const high = Math.max(...bins.map((bin) => bin.count), 1);
  const share = slowerThan(durations, took);
  return (
    <footer className="strip foot">
      <span className="text-small text-fg-3">{words.standing(durations.length)}</span>
      <span className="hist small" aria-hidden="true">
        {bins.map((bin) => (
          <span key={bin.from} className={took >= bin.from && took < bin.to ? "on" : undefined}>
            <i style={{ height: `${bin.count === 0 ? 6 : 12 + (bin.count / high) * 88}%` }} />
          </span>
        ))}
      </span>
      <Percentiles durations={durations} />
      <span className="flex-1" />
      <span className={clsx("pill", share >= 95 ? "bad" : share >= 75 ? "warn" : "ok")}>
        {words.slower(share)}
      </span>
    </footer>
  );
}
