import mermaid from "mermaid";

/** A diagram as a picture and its natural size. */
export type Drawing = { src: string; width: number; height: number };

const kept = new Map<string, Drawing>();
const most = 40;
let count = 0;

/** The beginning of markup in a label, apart from a new line. It is drawn as the characters it is written with. */
const tag = /(?<!<)<(?!<|br\s*\/?>)(?=[/!?]?[a-z])/gi;

const keyOf = (text: string, theme: string) => `${theme}\n${text}`;

/** A diagram that was drawn before. */
export function drawnBefore(text: string, theme: string): Drawing | undefined {
  return kept.get(keyOf(text, theme));
}

/**
 * Draws a diagram in the colours of the page. It becomes a picture: whatever its text smuggles in, a picture runs no
 * script, loads nothing and opens no link.
 */
export async function drawDiagram(text: string, theme: string): Promise<Drawing> {
  const before = drawnBefore(text, theme);
  if (before) return before;
  mermaid.initialize(settings(theme === "dark"));
  const place = document.createElement("div");
  place.className = "drawing";
  place.setAttribute("aria-hidden", "true");
  document.body.append(place);
  try {
    const { svg } = await mermaid.render(`drawing-${count++}`, text.replace(tag, "#lt;"), place);
    const drawing = pictureOf(svg);
    if (kept.size >= most) kept.delete(kept.keys().next().value ?? "");
    kept.set(keyOf(text, theme), drawing);
    return drawing;
  } finally {
    place.remove();
  }
}

/** The markup as a picture that can be shown by its address; its size is that of its content. */
function pictureOf(markup: string): Drawing {
  const svg = new DOMParser().parseFromString(markup, "text/html").querySelector("svg");
  if (!svg) throw new Error();
  const [, , width = 0, height = 0] = (svg.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  svg.setAttribute("width", String(Math.ceil(width)));
  svg.setAttribute("height", String(Math.ceil(height)));
  svg.removeAttribute("style");
  const text = new XMLSerializer().serializeToString(svg);
  return {
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`,
    width: Math.ceil(width),
    height: Math.ceil(height),
  };
}

// A picture knows no fonts of the page, so the text is measured in one that both have.
const font = "ui-sans-serif, system-ui, sans-serif";
const hues = [240, 155, 76, 292, 195, 38, 122, 350];

function settings(dark: boolean) {
  const token = colours();
  const hue = hues.map((one) => token(`oklch(var(--fL) var(--fC) ${one})`));
  const soft = hues.map((one) => token(`oklch(var(--aL) var(--aC) ${one} / .22)`));
  return {
    startOnLoad: false,
    securityLevel: "strict" as const,
    suppressErrorRendering: true,
    maxTextSize: 20_000,
    maxEdges: 400,
    layout: "dagre",
    look: "classic" as const,
    htmlLabels: false,
    flowchart: { htmlLabels: false, nodeSpacing: 36, rankSpacing: 44 },
    fontFamily: font,
    // What a text may not change about how it is drawn.
    secure: [
      ...["secure", "securityLevel", "startOnLoad", "maxTextSize", "suppressErrorRendering", "maxEdges"],
      ...[
        "layout",
        "htmlLabels",
        "fontFamily",
        "altFontFamily",
        "theme",
        "themeCSS",
        "themeVariables",
        "look",
      ],
      ...["dompurifyConfig", "darkMode", "legacyMathML", "forceLegacyMathML", "deterministicIds"],
    ],
    theme: "base" as const,
    themeVariables: {
      darkMode: dark,
      background: token("var(--bg-sunken)"),
      fontFamily: font,
      fontSize: "14px",
      primaryColor: token("var(--bg-raised)"),
      primaryTextColor: token("var(--fg)"),
      primaryBorderColor: token("var(--fg-4)"),
      secondaryColor: soft[0],
      secondaryTextColor: token("var(--fg)"),
      secondaryBorderColor: hue[0],
      tertiaryColor: token("var(--bg-active)"),
      tertiaryTextColor: token("var(--fg)"),
      tertiaryBorderColor: token("var(--line-3)"),
      lineColor: token("var(--fg-3)"),
      textColor: token("var(--fg)"),
      titleColor: token("var(--fg)"),
      edgeLabelBackground: token("var(--bg-sunken)"),
      noteBkgColor: token("var(--warn-soft)"),
      noteTextColor: token("var(--fg)"),
      noteBorderColor: token("var(--warn-line)"),
      errorBkgColor: token("var(--bad-soft)"),
      errorTextColor: token("var(--bad)"),
      pieStrokeColor: token("var(--bg-sunken)"),
      pieOuterStrokeColor: token("var(--line-3)"),
      pieSectionTextColor: token("var(--bg-sunken)"),
      pieTitleTextColor: token("var(--fg)"),
      pieLegendTextColor: token("var(--fg)"),
      ...numbered("pie", 1, hue),
      ...numbered("cScale", 0, soft),
      ...numbered(
        "cScaleLabel",
        0,
        soft.map(() => token("var(--fg)")),
      ),
      ...numbered("git", 0, hue),
      ...numbered(
        "gitBranchLabel",
        0,
        hue.map(() => token("var(--bg-sunken)")),
      ),
      xyChart: { plotColorPalette: hue.join(","), backgroundColor: token("var(--bg-sunken)") },
    },
  };
}

function numbered(name: string, from: number, values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map((value, i) => [name + (i + from), value]));
}

/** Reads colours of the page as plain ones on its sunken ground; the drawing knows no other notation. */
function colours(): (value: string) => string {
  const probe = document.createElement("span");
  document.body.append(probe);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const resolved = (value: string) => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const ground = resolved("var(--bg-sunken)");
  queueMicrotask(() => probe.remove());
  return (value) => {
    if (!pen) return value;
    for (const fill of [ground, resolved(value)]) {
      pen.fillStyle = fill;
      pen.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = pen.getImageData(0, 0, 1, 1).data;
    return `rgb(${r}, ${g}, ${b})`;
  };
}
