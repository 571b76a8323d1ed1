import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Check, CornerDownRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Me } from "@/api/types";
import { agentsQuery } from "@/features/agents/queries";
import { setupQuery } from "@/features/identity/queries";
import { SetupAccount } from "@/features/identity/setup";
import { PickSource } from "@/features/models/source";
import { start } from "@/lib/messages/start";
import { Mark } from "@/ui/bits";
import { Button } from "@/ui/button";
import { Empty, View } from "@/ui/states";

const words = start.setup;

/** The one-time code the printed link carries after its #, where no server log ever sees it. */
export function codeFromHash(hash: string): string {
  return new URLSearchParams(hash.replace(/^#/, "")).get("code") ?? "";
}

/** First run: an account, where answers come from, start. */
export default function SetupRoute() {
  const query = useQuery({ ...setupQuery, staleTime: Number.POSITIVE_INFINITY });
  const [code] = useState(() => codeFromHash(location.hash));
  const [step, setStep] = useState(1);
  const [me, setMe] = useState<Me>();
  const [source, setSource] = useState("");
  return (
    <div className="hero">
      <main className="hero-grid">
        <Intro step={step} user={me?.user.user} source={source} version={query.data?.version ?? ""} />
        <div className="panel">
          <View query={query}>
            {(setup) => {
              if (step === 1 && !setup.needed && !me) return <AlreadyDone />;
              if (step === 1) {
                return (
                  <Panel title={words.account.title} note={words.account.note}>
                    <SetupAccount
                      code={code}
                      onDone={(made) => {
                        setMe(made);
                        setStep(2);
                        history.replaceState(history.state, "", "/setup");
                      }}
                    />
                  </Panel>
                );
              }
              return step === 2 ? (
                <PickModel
                  onDone={(picked) => {
                    setSource(picked);
                    setStep(3);
                  }}
                />
              ) : (
                <Ready me={me} source={source} />
              );
            }}
          </View>
        </div>
      </main>
    </div>
  );
}

function Panel({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <>
      <div className="mb-1 flex items-baseline gap-3">
        <h2 className="flex-1">{title}</h2>
        <span className="text-small text-fg-3">{note}</span>
      </div>
      {children}
    </>
  );
}

function Intro({
  step,
  user,
  source,
  version,
}: {
  step: number;
  user: string | undefined;
  source: string;
  version: string;
}) {
  const steps = [
    { title: words.steps.up, hint: version ? words.steps.upHint(version) : "" },
    { title: words.steps.account, hint: user ? words.steps.accountDone(user) : words.steps.accountHint },
    { title: words.steps.model, hint: step > 2 ? source : words.steps.modelHint },
    { title: words.steps.chat, hint: words.steps.chatHint },
  ];
  return (
    <div className="flex flex-col gap-[18px]">
      <Mark large />
      <h1 className="big">
        {words.headline.map((line) => (
          <span key={line} className="block">
            {line}
          </span>
        ))}
      </h1>
      <p className="text-[15px] leading-6 text-fg-2">{words.intro}</p>
      <ol className="mt-1.5 max-lg:hidden" aria-label={words.progress}>
        {steps.map((item, i) => (
          <li key={item.title} className="step" aria-current={i === step ? "step" : undefined}>
            <span className={i < step ? "num0 ok" : i === step ? "num0 now" : "num0"}>
              {i < step ? <Check aria-hidden="true" /> : i + 1}
            </span>
            <span>
              <span className="block font-medium">{item.title}</span>
              <span className="block text-small text-fg-3">{item.hint}</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function PickModel({ onDone }: { onDone: (source: string) => void }) {
  const agents = useQuery(agentsQuery);
  return (
    <Panel title={words.model.title} note={words.model.note}>
      <View query={agents}>
        {(page) => <PickSource current={page.data[0]?.model ?? ""} onDone={onDone} />}
      </View>
    </Panel>
  );
}

function Ready({ me, source }: { me: Me | undefined; source: string }) {
  const navigate = useNavigate();
  return (
    <Panel title={words.ready.title} note={words.ready.note}>
      <p className="text-fg-2">{words.ready.body(me?.user.name || me?.user.user || "", source)}</p>
      <ul className="flex flex-col gap-2">
        {words.ready.points.map((point) => (
          <li key={point} className="flex items-center gap-2.5">
            <span className="num0 ok">
              <Check aria-hidden="true" />
            </span>
            {point}
          </li>
        ))}
      </ul>
      <div className="mt-1.5 flex justify-end">
        <Button look="solid" large autoFocus onClick={() => void navigate({ to: "/chat", replace: true })}>
          {words.ready.submit}
          <CornerDownRight aria-hidden="true" />
        </Button>
      </div>
    </Panel>
  );
}

function AlreadyDone() {
  return (
    <Empty title={words.done} body={words.doneHint}>
      <Link to="/login" className="btn solid lg">
        {words.signIn}
      </Link>
    </Empty>
  );
}
