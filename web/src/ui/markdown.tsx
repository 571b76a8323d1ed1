import type { Token, Tokens } from "marked";
import { createElement, Fragment, memo, type ReactNode, Suspense, useMemo, useRef } from "react";
import {
  type Block,
  BlockSplitter,
  blocksOf,
  isClosedFence,
  isSafeLink,
  mend,
  plainTokens,
  tokensOf,
} from "@/lib/markdown";
import type { Formula as FormulaToken } from "@/lib/math";
import { onDemand } from "@/lib/on-demand";
import { CodeBlock } from "./code";

const Formula = onDemand(() => import("./formula"), "default");
const Diagram = onDemand(() => import("./diagram"), "default");

/** Draws markdown as React elements. No HTML is ever parsed, so there is nothing to sanitise. */
export const Markdown = memo(function Markdown({ text, streaming }: { text: string; streaming?: boolean }) {
  const splitter = useRef<BlockSplitter>(undefined);
  splitter.current ??= new BlockSplitter();
  const blocks = streaming ? splitter.current.set(text) : null;
  const finished = useMemo(() => (streaming ? null : blocksOf(text)), [text, streaming]);
  const all = blocks ?? finished ?? [];
  const last = all.findLastIndex((block) => block.tokens[0]?.type !== "space");
  return (
    <div className="prose">
      {all.map((block, i) => (
        <BlockView
          key={block.key}
          block={block}
          open={!!streaming && i === last}
          caret={!!streaming && i === last}
        />
      ))}
      {streaming && last < 0 && <Caret />}
    </div>
  );
});

const BlockView = memo(
  function BlockView({ block, open, caret }: { block: Block; open: boolean; caret: boolean }) {
    const mended = open ? mend(block.raw) : block.raw;
    const tokens = mended === block.raw ? block.tokens : tokensOf(mended);
    return (
      <>
        {tokens.map((token, i) => draw(token, `${block.key}.${i}`, open, caret && i === tokens.length - 1))}
      </>
    );
  },
  (a, b) => a.block.raw === b.block.raw && a.open === b.open && a.caret === b.caret,
);

function Caret() {
  return <span className="caret pulse" aria-hidden="true" />;
}

function draw(token: Token, key: string, open: boolean, caret = false): ReactNode {
  const end = caret ? <Caret /> : null;
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox": // the item of the list draws it
      return null;
    case "heading": {
      const heading = token as Tokens.Heading;
      return createElement(`h${Math.min(heading.depth + 1, 4)}`, { key }, inline(heading.tokens), end);
    }
    case "paragraph":
      return (
        <p key={key}>
          {inline((token as Tokens.Paragraph).tokens)}
          {end}
        </p>
      );
    case "code":
      return code(token as Tokens.Code, key, open);
    case "math":
      return (
        <Fragment key={key}>
          {formula(token as FormulaToken, open)}
          {end}
        </Fragment>
      );
    case "blockquote":
      return <blockquote key={key}>{children((token as Tokens.Blockquote).tokens, open)}</blockquote>;
    case "list":
      return list(token as Tokens.List, key, open, end);
    case "table":
      return table(token as Tokens.Table, key);
    case "hr":
      return <hr key={key} />;
    case "text": {
      const text = token as Tokens.Text;
      return <Fragment key={key}>{text.tokens ? inline(text.tokens) : text.raw}</Fragment>;
    }
    default:
      return <p key={key}>{token.raw}</p>;
  }
}

/** Code; a diagram is drawn once its last line has come. */
function code(token: Tokens.Code, key: string, open: boolean): ReactNode {
  const growing = open && !isClosedFence(token.raw);
  const plain = <CodeBlock key={key} text={token.text} lang={token.lang} open={growing} />;
  if (token.lang !== "mermaid" || growing) return plain;
  return (
    <Suspense key={key} fallback={plain}>
      <Diagram text={token.text} />
    </Suspense>
  );
}

/** A formula; its source until the code that draws it is here, and as long as its end has not come. */
function formula(token: FormulaToken, open: boolean): ReactNode {
  if (token.open && !open) return children(plainTokens(token.raw), false);
  const { text, raw, display } = token;
  const source = <code className={display ? "block" : undefined}>{raw.trim()}</code>;
  if (token.open) return source;
  return (
    <Suspense fallback={source}>
      <Formula text={text} raw={raw} display={display} />
    </Suspense>
  );
}

function children(tokens: Token[], open: boolean): ReactNode {
  return tokens.map((token, i) => draw(token, String(i), open));
}

function list(token: Tokens.List, key: string, open: boolean, end: ReactNode): ReactNode {
  const items = token.items.map((item, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items of a text have no other identity
    <li key={i} className={item.task ? "task" : undefined}>
      {item.task && (
        <input type="checkbox" checked={!!item.checked} disabled className="mr-2" aria-label={item.text} />
      )}
      {children(item.tokens, open)}
      {i === token.items.length - 1 && end}
    </li>
  ));
  if (!token.ordered) return <ul key={key}>{items}</ul>;
  return (
    <ol key={key} start={typeof token.start === "number" ? token.start : 1}>
      {items}
    </ol>
  );
}

function table(token: Tokens.Table, key: string): ReactNode {
  return (
    <div key={key} className="tw">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns of a text have no other identity
              <th key={i} scope="col" style={{ textAlign: cell.align ?? "left" }}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, r) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a text have no other identity
            <tr key={r}>
              {row.map((cell, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells of a text have no other identity
                <td key={i} style={{ textAlign: cell.align ?? "left" }}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: Token[] | undefined): ReactNode {
  return tokens?.map((token, i) => span(token, i));
}

function span(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inline((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em key={key}>{inline((token as Tokens.Em).tokens)}</em>;
    case "del":
      return <del key={key}>{inline((token as Tokens.Del).tokens)}</del>;
    case "codespan":
      return <code key={key}>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br key={key} />;
    case "checkbox":
      return null;
    case "link":
      return link(token as Tokens.Link, key);
    case "image": {
      const image = token as Tokens.Image;
      return link(
        { ...image, type: "link", tokens: [] } as unknown as Tokens.Link,
        key,
        image.text || image.href,
      );
    }
    case "escape":
      return (token as Tokens.Escape).text;
    case "math":
      return <Fragment key={key}>{formula(token as FormulaToken, false)}</Fragment>;
    case "text": {
      const text = token as Tokens.Text;
      return <Fragment key={key}>{text.tokens ? inline(text.tokens) : text.text}</Fragment>;
    }
    default:
      return token.raw;
  }
}

function link(token: Tokens.Link, key: number, label?: string): ReactNode {
  const content = label ?? inline(token.tokens);
  if (!isSafeLink(token.href)) return <Fragment key={key}>{label ?? token.raw}</Fragment>;
  return (
    <a
      key={key}
      href={token.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={token.title ?? undefined}
    >
      {content}
    </a>
  );
}
