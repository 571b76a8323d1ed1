import { useQuery } from "@tanstack/react-query";
import { ArrowRight, Route } from "lucide-react";
import type { Provider } from "@/api/types";
import { models as words } from "@/lib/messages/models";
import { Dot } from "@/ui/bits";
import { Section } from "@/ui/page";
import { Empty, View } from "@/ui/states";
import { catalogueQuery, providersQuery } from "./queries";

/** Who steps in for whom: routes over several models, and providers with several accounts. */
export function Routes() {
  const catalogue = useQuery(catalogueQuery);
  const providers = useQuery(providersQuery);
  const pools = (providers.data?.data ?? []).filter((one) => one.accounts.length > 1);
  return (
    <Section title={words.routes.title} note={words.routes.note} flush>
      <View
        query={catalogue}
        rows={2}
        isEmpty={(page) => pools.length === 0 && !page.data.some((one) => one.targets?.length)}
        empty={<Empty icon={<Route />} title={words.routes.empty} body={words.routes.emptyBody} />}
      >
        {(page) => (
          <ul>
            {page.data
              .filter((one) => one.targets?.length)
              .map((route) => (
                <Line
                  key={route.id}
                  name={route.id}
                  steps={(route.targets ?? []).map((target) => ({
                    name: target,
                    ready: readyOf(target, providers.data?.data),
                  }))}
                />
              ))}
            {pools.map((pool) => (
              <Line
                key={pool.provider}
                name={words.routes.pool(pool.title)}
                steps={pool.accounts.map((one) => ({ name: one.name, ready: one.state === "ready" }))}
              />
            ))}
          </ul>
        )}
      </View>
    </Section>
  );
}

function readyOf(target: string, providers: readonly Provider[] | undefined): boolean {
  const name = target.split("/")[0];
  return providers?.find((one) => one.provider === name)?.state === "ready";
}

function Line({ name, steps }: { name: string; steps: readonly { name: string; ready: boolean }[] }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 last:border-0">
      <span className="mono w-40 flex-none font-medium">{name}</span>
      <ol className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
        {steps.map((step, i) => (
          <li key={step.name} className="flex items-center gap-2">
            {i > 0 && <ArrowRight className="!h-3 !w-3 text-fg-3" aria-hidden="true" />}
            <Dot tone={step.ready ? "ok" : "warn"} />
            <span className="sr-only">{step.ready ? words.routes.ready : words.routes.notReady}</span>
            <span className="mono text-small">{step.name}</span>
          </li>
        ))}
      </ol>
    </li>
  );
}
