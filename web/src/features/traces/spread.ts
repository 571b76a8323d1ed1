import type { Run } from "@/api/types";

/** How long a run took, undefined while it is at work. */
export function tookOf(run: Run): number | undefined {
  if (!run.finished_at) return undefined;
  return Date.parse(run.finished_at) - Date.parse(run.started_at ?? run.created_at);
}

/** Until the first token, undefined when none came. */
export function firstOf(run: Run): number | undefined {
  if (!run.first_token_at) return undefined;
  return Math.max(0, Date.parse(run.first_token_at) - Date.parse(run.started_at ?? run.created_at));
}

/** Percentiles of durations, by the nearest rank. */
export function percentile(sorted: readonly number[], p: number): number | undefined {
  if (sorted.length === 0) return undefined;
  return sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)];
}

export type Bin = { from: number; to: number; count: number };

/** Durations in bins whose edges double, so that quick and slow ones are both told apart. */
export function histogram(durations: readonly number[], most = 12): Bin[] {
  if (durations.length === 0) return [];
  const least = Math.max(1, Math.min(...durations));
  const largest = Math.max(...durations, least + 1);
  const steps = Math.min(most, Math.max(6, Math.ceil(Math.sqrt(durations.length) * 2)));
  const factor = (largest / least) ** (1 / steps);
  const edge = (i: number) => (i === 0 ? 0 : i === steps ? largest + 1 : Math.round(least * factor ** i));
  const bins = Array.from({ length: steps }, (_, i) => ({ from: edge(i), to: edge(i + 1), count: 0 }));
  for (const ms of durations) {
    const bin = bins.find((one) => ms >= one.from && ms < one.to);
    if (bin) bin.count++;
  }
  return bins;
}

/** The share of durations that are shorter, in percent. */
export function slowerThan(durations: readonly number[], ms: number): number {
  if (durations.length === 0) return 0;
  return Math.round((durations.filter((one) => one < ms).length / durations.length) * 100);
}

/** A span of durations as an address holds it. */
export function readTook(text: string | undefined): { from: number; to: number } | undefined {
  const match = /^(\d+)-(\d+)$/.exec(text ?? "");
  return match ? { from: Number(match[1]), to: Number(match[2]) } : undefined;
}
