import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { memory } from "@/lib/messages/memory";
import { Pill } from "@/ui/bits";
import { Input } from "@/ui/field";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { recallQuery } from "./queries";

const words = memory.recall;

const percent = (score: number) => Math.round(score * 100);

/** What an agent would recall for some words, ranked, with the reasons. */
export function Recall() {
  const [text, setText] = useState("");
  const asked = useDeferredValue(text.trim());
  const found = useQuery({
    ...recallQuery(asked),
    enabled: asked !== "",
    placeholderData: (before) => before,
  });
  return (
    <Section title={memory.tabs.recall} note={words.hint}>
      <div className="flex flex-col gap-3 px-4 pb-4">
        <Input
          aria-label={words.label}
          placeholder={words.placeholder}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {asked !== "" && (
          <View
            query={found}
            isEmpty={(answer) => answer.data.length === 0}
            empty={<Empty icon={<Search />} title={words.none} body={words.noneBody} />}
          >
            {(answer) => (
              <>
                {answer.degraded && <p className="text-small text-warn">{words.degraded(answer.degraded)}</p>}
                <ol className="flex flex-col gap-2">
                  {answer.data.map((hit) => (
                    <li key={hit.id} className="well flex gap-3 p-3">
                      <span className="num w-9 flex-none text-title font-medium">{percent(hit.score)}</span>
                      <span className="min-w-0 flex-1">
                        <span className="line-clamp-3">{hit.text}</span>
                        <span className="num flex flex-wrap gap-x-3 text-small text-fg-3">
                          <Pill tone="line">{words.kinds[hit.kind] ?? hit.kind}</Pill>
                          {hit.source.path && <span className="mono">{hit.source.path}</span>}
                          {hit.explain && (
                            <>
                              <span>{words.byWords(percent(hit.explain.by_words))}</span>
                              <span>{words.byMeaning(percent(hit.explain.by_meaning))}</span>
                            </>
                          )}
                        </span>
                        {hit.explain && <Explained explain={hit.explain} />}
                      </span>
                    </li>
                  ))}
                </ol>
              </>
            )}
          </View>
        )}
      </div>
    </Section>
  );
}

/** How a score came about, number by number. */
function Explained({ explain }: { explain: Record<string, unknown> }) {
  const rows = Object.entries(words.explain).filter(
    ([key]) => explain[key] !== undefined && explain[key] !== "",
  );
  return (
    <details className="mt-1 text-small">
      <summary className="cursor-pointer text-fg-3">{words.why}</summary>
      <dl className="mt-1 grid max-w-md grid-cols-[1fr_auto] gap-x-4 gap-y-0.5">
        {rows.map(([key, name]) => (
          <div key={key} className="contents">
            <dt className="text-fg-3">{name}</dt>
            <dd className="num text-right">{numberText(explain[key])}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const numberText = (value: unknown) =>
  typeof value === "number" ? String(Math.round(value * 1000) / 1000) : String(value);
