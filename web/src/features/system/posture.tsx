import { useQuery } from "@tanstack/react-query";
import { Check, Lightbulb, ShieldCheck, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { components } from "@/api/schema";
import { settings } from "@/lib/messages/settings";
import { Pill, type Tone } from "@/ui/bits";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { postureQuery } from "./queries";

type Finding = components["schemas"]["PostureFinding"];

const words = settings.posture;
const looks: Record<Finding["state"], { tone: Tone; icon: ReactNode; rank: number }> = {
  risk: { tone: "bad", icon: <TriangleAlert aria-hidden="true" />, rank: 0 },
  advice: { tone: "warn", icon: <Lightbulb aria-hidden="true" />, rank: 1 },
  ok: { tone: "ok", icon: <Check aria-hidden="true" />, rank: 2 },
};

/** What makes this server safe or not, the worst first, each with what to do about it. */
export function Posture({ link }: { link: (href: string, children: ReactNode) => ReactNode }) {
  const query = useQuery(postureQuery);
  const open = query.data?.findings.filter((one) => one.state !== "ok").length ?? 0;
  return (
    <Section title={words.title} note={query.data && (open === 0 ? words.all : words.open(open))} flush>
      <View
        query={query}
        rows={8}
        isEmpty={(posture) => posture.findings.length === 0}
        empty={<Empty icon={<ShieldCheck />} title={words.all} />}
      >
        {(posture) => (
          <ul>
            {[...posture.findings]
              .sort((a, b) => looks[a.state].rank - looks[b.state].rank)
              .map((one) => (
                <li
                  key={one.name}
                  className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5 last:border-0"
                >
                  <span className="w-36 flex-none font-medium">{words.names[one.name] ?? one.name}</span>
                  <Pill tone={looks[one.state].tone}>
                    {looks[one.state].icon}
                    {words.states[one.state]}
                  </Pill>
                  <span className="min-w-60 flex-1">
                    <span className="block">{one.detail}</span>
                    {one.fix && (
                      <span className="block text-small text-fg-3">
                        {words.fix}: {one.fix}
                      </span>
                    )}
                  </span>
                  {one.page && one.state !== "ok" && link(one.page, words.go)}
                </li>
              ))}
          </ul>
        )}
      </View>
    </Section>
  );
}
