import type { LanguageFn } from "highlight.js";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { Span } from "./highlight";

const languages: Record<string, LanguageFn> = {
  bash,
  css,
  diff,
  go,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

type Node = string | { scope?: string; children: Node[] };

/** Flattens the tree of the highlighter into pieces; the innermost known kind wins. */
function flatten(node: Node, kind: string | undefined, out: Span[]): void {
  if (typeof node === "string") {
    out.push([kind, node]);
    return;
  }
  const own = node.scope?.split(".")[0] ?? kind;
  for (const child of node.children) flatten(child, own, out);
}

self.onmessage = (message: MessageEvent<{ id: number; text: string; lang: string }>) => {
  const { id, text, lang } = message.data;
  if (!hljs.getLanguage(lang)) return self.postMessage({ id });
  const result = hljs.highlight(text, { language: lang, ignoreIllegals: true });
  const root = (result as unknown as { _emitter: { rootNode: Node } })._emitter.rootNode;
  const spans: Span[] = [];
  flatten(root, undefined, spans);
  self.postMessage({ id, spans });
};
