// Sets theme and density before the first paint. Classic script, so it runs before the styles apply.
(() => {
  const root = document.documentElement;
  let saved = {};
  try {
    saved = JSON.parse(localStorage.getItem("fluxway.ui") || "{}").state || {};
  } catch {
    // Storage is blocked or holds something else: the defaults apply.
  }
  const light = matchMedia("(prefers-color-scheme: light)");
  const theme =
    saved.theme === "dark" || saved.theme === "light" ? saved.theme : light.matches ? "light" : "dark";
  root.dataset.theme = theme;
  root.dataset.density = saved.density === "compact" ? "compact" : "comfortable";
  const meta = document.querySelector('meta[name="theme-color"]');
  if (meta) meta.content = theme === "light" ? "rgb(240, 240, 243)" : "rgb(9, 9, 12)";
})();
