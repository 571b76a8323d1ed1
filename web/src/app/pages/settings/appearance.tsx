import type { ReactNode } from "react";
import { settings } from "@/lib/messages/settings";
import { Button } from "@/ui/button";
import { Switch } from "@/ui/field";
import { Section } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { useInstall } from "../../install";
import { useShell } from "../../store";
import { themes } from "../../themes";

const words = settings.appearance;

export function Appearance() {
  const { theme, density, shortcuts, pageKeys, set } = useShell();
  return (
    <Section title={settings.pages.appearance}>
      <Row title={words.theme} help={words.themeHelp}>
        <Segmented
          label={words.theme}
          value={theme}
          options={themes}
          onChange={(value) => set({ theme: value })}
        />
      </Row>
      <Row title={words.density} help={words.densityHelp}>
        <Segmented
          label={words.density}
          value={density}
          options={[
            { value: "comfortable", label: words.comfortable },
            { value: "compact", label: words.compact },
          ]}
          onChange={(value) => set({ density: value })}
        />
      </Row>
      <Row title={words.shortcuts} help={words.shortcutsHelp}>
        <Switch
          label={words.shortcuts}
          checked={shortcuts}
          onChange={(event) => set({ shortcuts: event.target.checked })}
        />
      </Row>
      <Row title={words.pageKeys} help={words.pageKeysHelp}>
        <Switch
          label={words.pageKeys}
          checked={pageKeys}
          onChange={(event) => set({ pageKeys: event.target.checked })}
        />
      </Row>
      <Install />
    </Section>
  );
}

function Install() {
  const install = useInstall();
  const help = {
    installed: words.installed,
    ready: words.installHelp,
    insecure: words.installInsecure,
    menu: words.installBrowser,
  }[install.state];
  return (
    <Row title={words.install} help={help}>
      {install.state === "ready" && <Button onClick={install.run}>{words.installAction}</Button>}
    </Row>
  );
}

function Row({ title, help, children }: { title: string; help: string; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-t border-line py-3 first:border-0 first:pt-0">
      <div className="min-w-[220px] flex-1">
        <p className="font-medium">{title}</p>
        <p className="text-small text-fg-3">{help}</p>
      </div>
      {children}
    </div>
  );
}
