import { useQuery } from "@tanstack/react-query";
import { ArrowDown, Download, ScrollText } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { components } from "@/api/schema";
import { settings } from "@/lib/messages/settings";
import { saveFile } from "@/lib/save";
import { clockTime, exactTime } from "@/lib/time";
import { Pill, type Tone } from "@/ui/bits";
import { Button, IconButton } from "@/ui/button";
import { Input, Select } from "@/ui/field";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { type LogLevel, serverLogsQuery } from "./queries";

type Line = components["schemas"]["LogLine"];

const words = settings.logs;
const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];
const tones: Record<Line["level"], Tone> = { debug: "line", info: "plain", warn: "warn", error: "bad" };

const textOf = (line: Line) =>
  [
    line.at,
    line.level,
    line.text,
    ...Object.entries(line.fields).map(([key, value]) => `${key}=${String(value)}`),
  ].join(" ");

/** What the server logged, as it comes; it follows the end until one scrolls away from it. */
export function ServerLogs() {
  const [level, setLevel] = useState<LogLevel>("info");
  const [find, setFind] = useState("");
  const query = useQuery(serverLogsQuery(level));
  const wanted = find.trim().toLowerCase();
  const shown = (query.data?.lines ?? []).filter((line) => textOf(line).toLowerCase().includes(wanted));
  return (
    <Section
      title={settings.pages.logs}
      note={query.data && words.logged(query.data.level)}
      flush
      actions={
        <>
          <Input
            type="search"
            className="!w-44"
            aria-label={words.search}
            placeholder={words.search}
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
          <Select
            className="!w-auto"
            aria-label={words.level}
            value={level}
            options={levels.map((value) => ({ value, label: words.levels[value] }))}
            onChange={(event) => setLevel(event.target.value as LogLevel)}
          />
          <IconButton
            label={words.download}
            onClick={() => saveFile("fluxway.log", "text/plain", shown.map(textOf).join("\n"))}
          >
            <Download aria-hidden="true" />
          </IconButton>
        </>
      }
    >
      <View
        query={query}
        rows={10}
        isEmpty={() => shown.length === 0}
        empty={<Empty icon={<ScrollText />} title={words.empty} body={words.emptyBody} />}
      >
        {() => <Lines lines={shown} />}
      </View>
    </Section>
  );
}

function Lines({ lines }: { lines: readonly Line[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [follow, setFollow] = useState(true);
  const last = lines.at(-1)?.at;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line is the reason to scroll
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [last, follow, lines.length]);
  return (
    <div className="relative">
      <div
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={settings.pages.logs}
        className="max-h-[62vh] overflow-auto bg-sunken py-2 text-small"
        onScroll={({ currentTarget: at }) => setFollow(at.scrollHeight - at.scrollTop - at.clientHeight < 24)}
      >
        {lines.map((line, i) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: lines may repeat within a moment
            key={`${line.at}${i}`}
            className="flex flex-wrap items-baseline gap-x-3 px-4 py-0.5"
          >
            <time className="num text-fg-3" dateTime={line.at} title={exactTime(line.at)}>
              {clockTime(line.at)}
            </time>
            <Pill tone={tones[line.level]}>{words.levels[line.level]}</Pill>
            <span className="min-w-0 break-words">{line.text}</span>
            <span className="mono min-w-0 break-all text-fg-3">
              {Object.entries(line.fields)
                .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
                .join(" ")}
            </span>
          </div>
        ))}
      </div>
      {!follow && (
        <Button className="!absolute bottom-3 right-5" onClick={() => setFollow(true)}>
          <ArrowDown aria-hidden="true" />
          {words.newest}
        </Button>
      )}
    </div>
  );
}
