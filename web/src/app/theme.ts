import { useEffect } from "react";
import { useShell } from "./store";

/** Keeps the document in step with the chosen theme and density, and with the system where it decides. */
export function useAppearance(): void {
  const theme = useShell((shell) => shell.theme);
  const density = useShell((shell) => shell.density);
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: light)");
    const apply = () => {
      const shown = theme === "system" ? (system.matches ? "light" : "dark") : theme;
      document.documentElement.dataset.theme = shown;
      const meta = document.querySelector<HTMLMetaElement>('meta[name="theme-color"]');
      if (meta) meta.content = getComputedStyle(document.body).backgroundColor;
    };
    apply();
    system.addEventListener("change", apply);
    return () => system.removeEventListener("change", apply);
  }, [theme]);
  useEffect(() => {
    document.documentElement.dataset.density = density;
  }, [density]);
}
