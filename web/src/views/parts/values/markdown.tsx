/** Markdown as elements. Nothing from the text becomes markup, an address to follow, or a request. */
import { Fragment, type ReactNode } from 'react';
import { type Block, type Inline, type Item, parseMarkdown } from '../../../model/text/markdown.ts';
import { CopyButton } from '../copy-button.tsx';
import './markdown.css';

export function Markdown({ text }: { readonly text: string }) {
  return <div className="ins-markdown">{blocks(parseMarkdown(text))}</div>;
}

function blocks(list: readonly Block[]): ReactNode[] {
  // Blocks have no identity but their place.
  // biome-ignore lint/suspicious/noArrayIndexKey: see above
  return list.map((block, index) => <Fragment key={index}>{renderBlock(block)}</Fragment>);
}

function renderBlock(block: Block): ReactNode {
  switch (block.type) {
    case 'paragraph':
      return <p>{inlines(block.children)}</p>;
    case 'heading':
      return (
        <p className={`ins-markdown__heading ins-markdown__heading--${block.level}`}>
          {inlines(block.children)}
        </p>
      );
    case 'code':
      return <CodeBlock language={block.language} text={block.text} />;
    case 'quote':
      return <blockquote>{blocks(block.children)}</blockquote>;
    case 'list':
      return block.start === undefined ? (
        <ul>{block.items.map(renderItem)}</ul>
      ) : (
        <ol start={block.start}>{block.items.map(renderItem)}</ol>
      );
    case 'table':
      return (
        <div className="ins-markdown__table">
          <table>
            <thead>
              <tr>{block.head.map((cell, at) => cellOf('th', cell, at))}</tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
                <tr key={at}>{row.map((cell, column) => cellOf('td', cell, column))}</tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case 'rule':
      return <hr />;
  }
}

function cellOf(Cell: 'th' | 'td', children: readonly Inline[], at: number): ReactNode {
  return <Cell key={at}>{inlines(children)}</Cell>;
}

function renderItem(item: Item, index: number): ReactNode {
  return (
    <li key={index} className={item.checked === undefined ? undefined : 'ins-markdown__task'}>
      {item.checked !== undefined && (
        <span role="img" aria-label={item.checked ? 'done' : 'to do'}>
          {item.checked ? '☑ ' : '☐ '}
        </span>
      )}
      {item.children.length === 1 && item.children[0]?.type === 'paragraph'
        ? inlines(item.children[0].children)
        : blocks(item.children)}
    </li>
  );
}

function CodeBlock({ language, text }: { readonly language: string; readonly text: string }) {
  return (
    <figure className="ins-markdown__code">
      <figcaption>
        {language || 'code'}
        <CopyButton text={text} what="the code" />
      </figcaption>
      <pre>
        <code>{text}</code>
      </pre>
    </figure>
  );
}

function inlines(list: readonly Inline[]): ReactNode[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: inlines have no identity but their place
  return list.map((inline, index) => <Fragment key={index}>{renderInline(inline)}</Fragment>);
}

function renderInline(inline: Inline): ReactNode {
  switch (inline.type) {
    case 'text':
      return inline.text;
    case 'code':
      return <code>{inline.text}</code>;
    case 'strong':
      return <strong>{inlines(inline.children)}</strong>;
    case 'emphasis':
      return <em>{inlines(inline.children)}</em>;
    case 'struck':
      return <s>{inlines(inline.children)}</s>;
    case 'link':
    case 'image':
      return <Address inline={inline} />;
  }
}

/** A link or an image is its text and its address, to copy: nothing is fetched or followed. */
function Address({ inline }: { readonly inline: Extract<Inline, { type: 'link' | 'image' }> }) {
  return (
    <span className="ins-markdown__address">
      {inline.type === 'image' && 'image '}
      {inline.text} <code>{inline.address}</code>
      <CopyButton text={inline.address} what="the address" />
    </span>
  );
}
