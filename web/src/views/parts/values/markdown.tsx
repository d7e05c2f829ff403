/** Markdown as elements. No text becomes markup, a link to follow, or a request. */
import type { ListItem, Nodes, RootContent, TableRow } from 'mdast';
import { Fragment, memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import { markdownBlocks, nextSlice } from '../../../model/text/markdown.ts';
import { CopyButton } from '../copy-button.tsx';
import { CodeText } from './code-text.tsx';
import './markdown.css';
import { PARTS_TEXT, VALUE_TEXT } from '../../../texts.ts';

interface MarkdownProps {
  readonly text: string;
  /** Content for a text that is not parsed as Markdown. */
  readonly plain: ReactNode;
}

export default function Markdown({ text, plain }: MarkdownProps) {
  const [read, setRead] = useState(() => ({ text, end: nextSlice(text, 0) }));
  // A text that goes on keeps what is shown of it; another one begins anew.
  const isSame = text === read.text || text.startsWith(read.text.slice(0, read.end));
  const end = isSame ? read.end : nextSlice(text, 0);
  if (text !== read.text) setRead({ text, end });
  const isWhole = end >= text.length;
  const blocks = useMemo(() => markdownBlocks(text, end), [text, end]);
  // A long text comes in slices, between which the page can paint and respond.
  useEffect(() => {
    if (isWhole) return;
    const timer = setTimeout(() => setRead({ text, end: nextSlice(text, end) }));
    return () => clearTimeout(timer);
  }, [text, end, isWhole]);
  if (blocks === undefined) return plain;
  return (
    <div className="ins-markdown">
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no identity but their place
        <Block key={at} block={block} />
      ))}
    </div>
  );
}

/** One block, memoised: in a growing message only changed blocks are drawn again. */
const Block = memo(function Block({ block }: { readonly block: RootContent }) {
  return elementOf(block);
});

function elementsOf(nodes: readonly Nodes[]): ReactNode[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: nodes have no identity but their place
  return nodes.map((node, at) => <Fragment key={at}>{elementOf(node)}</Fragment>);
}

function elementOf(node: Nodes): ReactNode {
  switch (node.type) {
    case 'paragraph':
      return <p>{elementsOf(node.children)}</p>;
    case 'heading':
      return (
        <p className={`ins-markdown__heading ins-markdown__heading--${node.depth}`}>
          {elementsOf(node.children)}
        </p>
      );
    case 'code':
      return <CodeBlock language={node.lang ?? ''} text={node.value} />;
    case 'blockquote':
      return <blockquote>{elementsOf(node.children)}</blockquote>;
    case 'list': {
      const items = node.children.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Item key={at} item={item} />
      ));
      const name = node.spread ? 'ins-markdown__loose' : undefined;
      return node.ordered ? (
        <ol className={name} start={node.start ?? 1}>
          {items}
        </ol>
      ) : (
        <ul className={name}>{items}</ul>
      );
    }
    case 'table':
      return <Table rows={node.children} />;
    case 'thematicBreak':
      return <hr />;
    case 'inlineCode':
      return <code>{node.value}</code>;
    case 'strong':
      return <strong>{elementsOf(node.children)}</strong>;
    case 'emphasis':
      return <em>{elementsOf(node.children)}</em>;
    case 'delete':
      return <s>{elementsOf(node.children)}</s>;
    case 'break':
      return <br />;
    case 'link':
      return <Address url={node.url} label={node.children} />;
    case 'image':
      return (
        <Address
          url={node.url}
          label={[{ type: 'text', value: VALUE_TEXT.image(node.alt ?? '') }]}
        />
      );
    default:
      // Text, and whatever else there may be one day: as text.
      return 'value' in node ? node.value : 'children' in node ? elementsOf(node.children) : null;
  }
}

function Item({ item }: { readonly item: ListItem }) {
  const [first, ...others] = item.children;
  const isTask = typeof item.checked === 'boolean';
  return (
    <li className={isTask ? 'ins-markdown__task' : undefined}>
      {isTask && (
        <span role="img" aria-label={item.checked ? VALUE_TEXT.done : VALUE_TEXT.toDo}>
          {item.checked ? '☑ ' : '☐ '}
        </span>
      )}
      {elementsOf(
        first?.type === 'paragraph' && others.length === 0 ? first.children : item.children,
      )}
    </li>
  );
}

function Table({ rows }: { readonly rows: readonly TableRow[] }) {
  const [head, ...body] = rows.map((row, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
    <tr key={at}>
      {row.children.map((cell, column) => {
        const Cell = at === 0 ? 'th' : 'td';
        // biome-ignore lint/suspicious/noArrayIndexKey: nor have cells
        return <Cell key={column}>{elementsOf(cell.children)}</Cell>;
      })}
    </tr>
  ));
  return (
    <div className="ins-markdown__table">
      <table>
        <thead>{head}</thead>
        <tbody>{body}</tbody>
      </table>
    </div>
  );
}

function CodeBlock({ language, text }: { readonly language: string; readonly text: string }) {
  return (
    <figure className="ins-markdown__code">
      <figcaption>
        {language.slice(0, 40) || VALUE_TEXT.code}
        <CopyButton text={text} what={VALUE_TEXT.theCode} />
      </figcaption>
      <pre>
        <code>
          <CodeText text={text} language={language} />
        </code>
      </pre>
    </figure>
  );
}

/** A link or an image as its text and its address, to copy: nothing is fetched or followed. */
function Address({ url, label }: { readonly url: string; readonly label: readonly Nodes[] }) {
  const only = label.length === 1 && label[0]?.type === 'text' ? label[0].value : '';
  const isBare = ['', 'http://', 'mailto:'].some((scheme) => url === scheme + only);
  return (
    <span className="ins-markdown__address">
      {!isBare && <>{elementsOf(label)} </>}
      <code>{isBare ? only : url}</code>
      <CopyButton text={url} what={PARTS_TEXT.address} />
    </span>
  );
}
