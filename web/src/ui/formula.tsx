import { createElement, memo, type ReactNode, useMemo } from "react";
import temml from "temml";
import { drawn as words } from "@/lib/messages/drawn";
import { CopyButton } from "./copy";
import "temml/dist/Temml-Local.css";
import "./drawn.css";

/** What temml makes of a formula: elements, groups of them, and text. */
type Node = {
  type?: string;
  text?: string;
  attributes?: Record<string, unknown>;
  classes?: readonly string[];
  style?: Record<string, string>;
  children?: readonly Node[];
};

const elements =
  /^(math|m(row|i|n|o|text|space|style|frac|sqrt|root|sub|sup|subsup|under|over|underover|multiscripts|prescripts|table|tr|td|padded|phantom|enclose)|none)$/;
const attributes =
  /^(accent|accentunder|column(align|lines|spacing|span)|depth|display|displaystyle|fence|form|height|largeop|linebreak|linethickness|lspace|math(background|color|size|variant)|(max|min)size|movablelimits|notation|row(align|lines|span|spacing)|rspace|scriptlevel|separator|stretchy|symmetric|voffset|width)$/;
const longest = 10_000;

/** Elements of known names with known attributes; anything else leaves only what is inside it. */
function draw(node: Node, key?: number): ReactNode {
  if (node.text !== undefined) return node.text;
  const inside = node.children?.map(draw);
  if (!node.type || !elements.test(node.type)) return inside;
  const style = Object.entries(node.style ?? {}).filter(([, value]) => !/url\(/i.test(value));
  return createElement(
    node.type,
    {
      ...Object.fromEntries(Object.entries(node.attributes ?? {}).filter(([name]) => attributes.test(name))),
      key,
      className: node.classes?.join(" ") || undefined,
      style: style.length > 0 ? Object.fromEntries(style) : undefined,
    },
    ...(inside ?? []),
  );
}

function read(text: string, display: boolean): ReactNode | undefined {
  if (text.length > longest) return undefined;
  try {
    return draw(
      temml.__renderToMathMLTree(text, {
        displayMode: display,
        throwOnError: true,
        trust: false,
        maxSize: [30, 500],
        maxExpand: 500,
      }) as Node,
    );
  } catch {
    return undefined;
  }
}

/** A formula as MathML, made of React elements: no markup of anybody's making is ever parsed. */
export default memo(function Formula({
  text,
  raw,
  display,
}: {
  text: string;
  raw: string;
  display: boolean;
}) {
  const math = useMemo(() => read(text, display), [text, display]);
  if (math === undefined)
    return (
      <span className={display ? "undrawn block" : "undrawn"}>
        <code title={words.formulaFailed}>{raw.trim()}</code>
        {display && <span>{words.formulaFailed}</span>}
      </span>
    );
  if (!display) return math;
  return (
    <span className="formula">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a sideways scrolling area has to be reachable by keyboard */}
      <span className="wide" tabIndex={0}>
        {math}
      </span>
      <CopyButton text={text} label={words.copyFormula} />
    </span>
  );
});
