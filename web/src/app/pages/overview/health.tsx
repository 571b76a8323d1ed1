import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Provider, System } from "@/api/types";
import { providersQuery } from "@/features/models/queries";
import { toneOf } from "@/features/system/health";
import { systemQuery } from "@/features/system/queries";
import { type Server, serversQuery } from "@/features/tools/queries";
import { bytes, words as sentence } from "@/lib/format";
import { models } from "@/lib/messages/models";
import { overview } from "@/lib/messages/overview";
import { tools } from "@/lib/messages/tools";
import { ago, duration } from "@/lib/time";
import { Dot, type Tone } from "@/ui/bits";
import { Section } from "@/ui/page";
import { View } from "@/ui/states";
import { useCan } from "../../session";

const words = overview.health;

type Line = { name: string; text: string; tone: Tone; to?: string };

/** How everything the work hangs on is: a dot, a word, an age. */
export function HealthCard() {
  const can = useCan();
  const system = useQuery(systemQuery);
  const providers = useQuery({ ...providersQuery, enabled: can("models:read") });
  const servers = useQuery({ ...serversQuery, enabled: can("mcp:read") });
  return (
    <Section
      title={words.title}
      flush
      actions={
        <Link to="/settings/$page" params={{ page: "health" }} className="link text-small">
          {words.all}
        </Link>
      }
    >
      <View query={system}>
        {(now) => (
          <ul>
            {[
              ...systemLines(now),
              ...(providers.data?.data ?? []).filter((one) => one.configured).map(providerLine),
              ...(servers.data?.data ?? []).map(serverLine),
            ].map((line) => (
              <Row key={line.name} line={line} />
            ))}
          </ul>
        )}
      </View>
    </Section>
  );
}

function Row({ line }: { line: Line }) {
  const label: Record<string, string> = overview.dots;
  const inside = (
    <>
      <Dot tone={line.tone} />
      <span className="sr-only">{label[line.tone]}</span>
      <span className="flex-1">{line.name}</span>
      <span className="num trunc text-small text-fg-3">{line.text}</span>
    </>
  );
  const look = "flex min-h-[var(--row)] items-center gap-3 border-b border-line px-4";
  return (
    <li className="last:[&>*]:border-0">
      {line.to ? (
        <Link to={line.to} className={`${look} hover:bg-hover`}>
          {inside}
        </Link>
      ) : (
        <div className={look}>{inside}</div>
      )}
    </li>
  );
}

function systemLines(system: System): Line[] {
  return [
    ...system.checks.map((check) => ({
      name: sentence(check.name),
      text: check.message || sentence(check.status),
      tone: toneOf(check.status),
    })),
    ...(system.disk
      ? [
          {
            name: words.disk,
            text: words.free(bytes(system.disk.free_bytes)),
            tone: system.disk.free_bytes > 1e9 ? ("ok" as const) : ("warn" as const),
          },
        ]
      : []),
    {
      name: words.version,
      text: `${system.version}, ${words.up(duration(Date.now() - Date.parse(system.started_at)))}`,
      tone: "ok",
    },
  ];
}

function providerLine(provider: Provider): Line {
  const used = provider.accounts
    .map((one) => one.last_used ?? "")
    .sort()
    .at(-1);
  return {
    name: provider.title,
    text: [models.states[provider.state], used && words.used(ago(used))].filter(Boolean).join(", "),
    tone: provider.state === "ready" ? "ok" : provider.state === "signed_out" ? "bad" : "warn",
    to: "/settings/models",
  };
}

function serverLine(server: Server): Line {
  const tone = server.state === "waiting" ? "bad" : server.state === "needs_signin" ? "warn" : "ok";
  return {
    name: server.name,
    text: [tools.servers.states[server.state], server.since && ago(server.since)].filter(Boolean).join(", "),
    tone: server.state === "stopped" ? "line" : tone,
    to: "/tools",
  };
}
