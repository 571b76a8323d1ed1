import type { Plugin } from "vite";

// Leaves out of packages what no page of ours uses and what the bundler cannot see is unused.

/** Of marked only the lexer is used; its ready-made instance would keep the parser and the renderers. */
const instance = /var \w+=new \w+;function (\w+)\(\w+,\w+\)\{return \w+\.parse[\s\S]*?export\{([^}]*)\}/;

function lexerOnly(code: string): string {
  const found = instance.exec(code);
  const lexer = /(\w+) as Lexer\b/.exec(found?.[2] ?? "");
  if (!found || !lexer) throw new Error("marked looks different: see scripts/lighter.ts");
  return `${code.slice(0, found.index)}export{${lexer[0]}};`;
}

/**
 * Parts of mermaid that are not shipped: the layout engine ELK has another kind of licence and is larger than all
 * diagrams together, formulas in labels bring a second library for formulas, and some kinds of diagrams are hardly
 * ever written. Their text is shown as it is.
 */
const left =
  /^katex$|^\.\/(?:chunks\/mermaid\.core\/)?(?:elk|swimlanes(?:Diagram)?|wardleyDiagram|cynefinDiagram|vennDiagram|ishikawaDiagram|usecaseDiagram|railroadDiagram|ebnfDiagram|abnfDiagram|pegDiagram|bpmnIcons|architectureDiagram)-?\w*\.mjs$/;
const nothing = "\0left-out";

/** The plugin of the build. */
export function lighter(): Plugin {
  return {
    name: "lighter",
    apply: "build",
    enforce: "pre",
    resolveId(source, importer) {
      if (importer && /node_modules[\\/]mermaid[\\/]/.test(importer) && left.test(source)) return nothing;
      return undefined;
    },
    load(id) {
      if (id === nothing) return "throw new Error('This kind of diagram is not part of this page');export{};";
      return undefined;
    },
    transform(code, id) {
      if (/(?<!mermaid[\\/]node_modules[\\/])marked[\\/]lib[\\/]marked\.esm\.js$/.test(id))
        return { code: lexerOnly(code), map: null };
      return undefined;
    },
  };
}
