import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { sumText } from "@/features/costs/amount";
import { dayText, startOfDay } from "@/features/costs/period";
import { breakdownQuery, type Point, type Share, trendQuery } from "@/features/costs/queries";
import { count, hueOf } from "@/lib/format";
import { costs } from "@/lib/messages/costs";
import { overview } from "@/lib/messages/overview";
import { money, short } from "@/lib/money";
import { Section } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { Empty, View } from "@/ui/states";
import { useHues } from "../traces/hues";
import "./overview.css";

const words = overview.usage;

/** What was used in a week, by agent or by model, and day by day. */
export function Usage() {
  const [by, setBy] = useState<"agent" | "model">("agent");
  const since = useMemo(() => {
    const day = startOfDay(new Date());
    day.setDate(day.getDate() - 6);
    return day.toISOString();
  }, []);
  const shares = useQuery(breakdownQuery(by, { since }, 8));
  const trend = useQuery(trendQuery("day", { since }));
  return (
    <Section
      title={words.title}
      note={words.week}
      actions={
        <Segmented
          label={words.by}
          value={by}
          options={[
            { value: "agent", label: words.agent },
            { value: "model", label: words.model },
          ]}
          onChange={setBy}
        />
      }
    >
      <View
        query={shares}
        isEmpty={(page) => page.data.length === 0}
        empty={
          <Empty title={words.empty} body={words.emptyBody}>
            <Link to="/costs" className="btn">
              {words.toCosts}
            </Link>
          </Empty>
        }
      >
        {(page) => (
          <div className="grid gap-x-6 gap-y-3 sm:grid-cols-[minmax(0,1fr)_180px]">
            <Bars shares={page.data} by={by} />
            <View query={trend}>{(points) => <Days points={points.data} />}</View>
          </div>
        )}
      </View>
    </Section>
  );
}

function Bars({ shares, by }: { shares: readonly Share[]; by: "agent" | "model" }) {
  const hue = useHues();
  const tokens = (share: Share) => share.input + share.output;
  const most = Math.max(...shares.map((share) => share.price), 0);
  const size = (share: Share) =>
    most > 0 ? share.price / most : tokens(share) / Math.max(...shares.map(tokens), 1);
  return (
    <ul className="usage">
      {shares.map((share) => (
        <li key={share.name} className={by === "agent" ? hue(share.name) : hueOf(share.name)}>
          <Link to="/costs/records" search={{ [by]: share.name }} className="flex items-baseline gap-3">
            <span className="trunc flex-1">{share.name || costs.by[by].none}</span>
            <span className="num text-small text-fg-3">
              {words.line(count(share.calls), short(tokens(share)))}
            </span>
            <span className="num w-16 text-right font-medium">{sumText(share)}</span>
          </Link>
          <i aria-hidden="true" style={{ width: `${Math.max(1.5, size(share) * 100)}%` }} />
        </li>
      ))}
    </ul>
  );
}

function Days({ points }: { points: readonly Point[] }) {
  const most = Math.max(...points.map((point) => point.price), 1);
  return (
    <figure
      className="days"
      aria-label={words.days(
        points.map((point) => `${dayText(new Date(point.at))} ${money(point.price)}`).join(", "),
      )}
    >
      <div aria-hidden="true">
        {points.map((point) => (
          <span key={point.at} title={`${dayText(new Date(point.at))}: ${money(point.price)}`}>
            <i style={{ height: `${Math.max(2, (point.price / most) * 100)}%` }} />
          </span>
        ))}
      </div>
      <figcaption className="flex justify-between text-micro text-fg-3" aria-hidden="true">
        <span>{points[0] && dayText(new Date(points[0].at))}</span>
        <span>{words.today}</span>
      </figcaption>
    </figure>
  );
}
