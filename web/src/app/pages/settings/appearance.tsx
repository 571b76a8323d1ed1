import { settings } from "@/lib/messages/settings";
import { Button } from "@/ui/button";
import { Switch } from "@/ui/field";
import { Section } from "@/ui/page";
import { Segmented } from "@/ui/segmented";
import { Setting } from "@/ui/setting";
import { useInstall } from "../../install";
import { useShell } from "../../store";
import { themes } from "../../themes";

const words = settings.appearance;

export function Appearance() {
  const { theme, density, shortcuts, pageKeys, set } = useShell();
  return (
    <Section title={settings.pages.appearance}>
      <Setting title={words.theme} help={words.themeHelp}>
        <Segmented
          label={words.theme}
          value={theme}
          options={themes}
          onChange={(value) => set({ theme: value })}
        />
      </Setting>
      <Setting title={words.density} help={words.densityHelp}>
        <Segmented
          label={words.density}
          value={density}
          options={[
            { value: "comfortable", label: words.comfortable },
            { value: "compact", label: words.compact },
          ]}
          onChange={(value) => set({ density: value })}
        />
      </Setting>
      <Setting title={words.shortcuts} help={words.shortcutsHelp}>
        <Switch
          label={words.shortcuts}
          checked={shortcuts}
          onChange={(event) => set({ shortcuts: event.target.checked })}
        />
      </Setting>
      <Setting title={words.pageKeys} help={words.pageKeysHelp}>
        <Switch
          label={words.pageKeys}
          checked={pageKeys}
          onChange={(event) => set({ pageKeys: event.target.checked })}
        />
      </Setting>
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
    <Setting title={words.install} help={help}>
      {install.state === "ready" && <Button onClick={install.run}>{words.installAction}</Button>}
    </Setting>
  );
}
