import { guard } from "@/lib/messages/guard";
import { Pill, type Tone } from "@/ui/bits";

const tones: Record<string, Tone> = { critical: "bad", high: "bad", medium: "warn", low: "line" };

export function Severity({ of, plain }: { of: string | undefined; plain?: boolean }) {
  if (!of || of === "none") return null;
  return <Pill tone={plain ? "line" : (tones[of] ?? "line")}>{guard.severities[of] ?? of}</Pill>;
}

const verdicts: Record<string, Tone> = { allow: "ok", warn: "warn", ask: "warn", refuse: "bad" };

export function Verdict({ of }: { of: string }) {
  return <Pill tone={verdicts[of] ?? "line"}>{guard.verdicts[of] ?? of}</Pill>;
}
