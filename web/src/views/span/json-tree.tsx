/** A JSON value as a tree over its text: what is shown and copied is what was sent. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useState } from 'react';
import { groupThousands } from '../../model/format.ts';
import { isOpenAtFirst, type JsonIndex, JsonKind, visibleNodes } from '../../model/json-text.ts';
import { CopyButton } from '../copy-button.tsx';
import { ActionIcon } from '../icons.tsx';
import './json-tree.css';

interface JsonTreeProps {
  readonly index: JsonIndex;
  readonly root: number;
  /** What it is, for the names of buttons: "the arguments". */
  readonly what: string;
  /** Folded at first, unless it is small: where many values are below each other. */
  readonly isFolded?: boolean;
}

/** At most so many nodes are small. */
const SMALL = 12;

/** Above this only the rows in view are in the document. */
const MAX_PLAIN_ROWS = 400;
const ROW_PX = 20;
const INDENT_PX = 16;
const MAX_INDENT = 24;

export function JsonTree({ index, root, what, isFolded = false }: JsonTreeProps) {
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set());
  const isRootFolded = isFolded && (index.after[root] ?? root) - root > SMALL;
  const isOpen = (node: number) => {
    const atFirst = node === root ? !isRootFolded : isOpenAtFirst(index, node, root);
    return index.isContainer(node) && atFirst !== toggled.has(node);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: isOpen is made of these
  const nodes = useMemo(() => visibleNodes(index, root, isOpen), [index, root, toggled]);
  const toggle = (node: number) => {
    const next = new Set(toggled);
    if (!next.delete(node)) next.add(node);
    setToggled(next);
  };
  const row = (node: number) => (
    <JsonRow key={node} {...{ index, node, root, what, toggle }} isOpen={isOpen(node)} />
  );
  if (nodes.length > MAX_PLAIN_ROWS) return <LongTree nodes={nodes} row={row} what={what} />;
  return (
    <div className="ins-json" role="group" aria-label={what}>
      {nodes.map(row)}
    </div>
  );
}

interface LongTreeProps {
  readonly nodes: readonly number[];
  readonly row: (node: number) => React.ReactNode;
  readonly what: string;
}

function LongTree({ nodes, row, what }: LongTreeProps) {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const virtualizer = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroller,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  const items = virtualizer.getVirtualItems();
  return (
    <div
      ref={setScroller}
      className="ins-json ins-json--long"
      role="group"
      aria-label={what}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
      tabIndex={0}
    >
      <div className="ins-json__all" style={{ height: virtualizer.getTotalSize() }}>
        <div style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map((item) => (
            <div key={item.key} data-index={item.index} ref={virtualizer.measureElement}>
              {row(nodes[item.index] ?? 0)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

interface JsonRowProps {
  readonly index: JsonIndex;
  readonly node: number;
  readonly root: number;
  readonly what: string;
  readonly isOpen: boolean;
  readonly toggle: (node: number) => void;
}

function JsonRow({ index, node, root, what, isOpen, toggle }: JsonRowProps) {
  const depth = (index.depth[node] ?? 0) - (index.depth[root] ?? 0);
  const isContainer = index.isContainer(node) && (index.childCount[node] ?? 0) > 0;
  const label = node === root ? undefined : (index.key(node) ?? String(index.position[node] ?? 0));
  const isElement = index.key(node) === undefined;
  return (
    <div className="ins-json__row" style={{ paddingLeft: Math.min(depth, MAX_INDENT) * INDENT_PX }}>
      {isContainer ? (
        <button
          type="button"
          className={`ins-json__caret${isOpen ? ' ins-json__caret--open' : ''}`}
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${label ?? what}`}
          onClick={() => toggle(node)}
        >
          <ActionIcon name="caret" />
        </button>
      ) : (
        <span className="ins-json__caret" />
      )}
      {label !== undefined && (
        <span className={isElement ? 'ins-json__position' : 'ins-json__key'}>{label}</span>
      )}
      <Value index={index} node={node} isOpen={isOpen} />
      <span className="ins-json__copy">
        <CopyButton text={() => plainText(index, node)} what="the value" />
        {node !== root && <CopyButton text={() => index.path(node)} what="the path" label="path" />}
      </span>
    </div>
  );
}

/** A string is copied as the text that it means, everything else as it was written. */
function plainText(index: JsonIndex, node: number): string {
  return index.kind[node] === JsonKind.String ? index.string(node) : index.source(node);
}

interface ValueProps {
  readonly index: JsonIndex;
  readonly node: number;
  readonly isOpen: boolean;
}

function Value({ index, node, isOpen }: ValueProps) {
  switch (index.kind[node]) {
    case JsonKind.Object:
    case JsonKind.Array:
      return (
        <span className="ins-json__count" title={summary(index, node, isOpen)}>
          {summary(index, node, isOpen)}
        </span>
      );
    case JsonKind.String:
      return <StringValue index={index} node={node} />;
    case JsonKind.Number:
      return <span className="ins-json__number">{index.source(node)}</span>;
    default:
      return <span className="ins-json__word">{index.source(node)}</span>;
  }
}

const MAX_PREVIEW_KEYS = 5;

function summary(index: JsonIndex, node: number, isOpen: boolean): string {
  const count = index.childCount[node] ?? 0;
  const isArray = index.kind[node] === JsonKind.Array;
  if (count === 0) return isArray ? '[]' : '{}';
  if (isArray) return isOpen ? `[${groupThousands(count)}]` : `[… ${groupThousands(count)}]`;
  if (isOpen) return `{${groupThousands(count)}}`;
  const keys: string[] = [];
  for (const child of index.children(node)) {
    if (keys.length === MAX_PREVIEW_KEYS) break;
    keys.push((index.key(child) ?? '').slice(0, 24));
  }
  return `{ ${keys.join(', ')}${count > keys.length ? ', …' : ''} }`;
}

const SHORT = 240;

function StringValue({ index, node }: { readonly index: JsonIndex; readonly node: number }) {
  const [isWhole, setWhole] = useState(false);
  const length = (index.end[node] ?? 0) - (index.start[node] ?? 0);
  const isLong = length > SHORT + 2;
  const text = isWhole || !isLong ? index.string(node) : index.string(node, SHORT);
  return (
    <span className="ins-json__string">
      <Quote />
      {text}
      {isLong && !isWhole ? '' : <Quote />}
      {isLong && (
        <button type="button" className="ins-json__more" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'less' : `… ${groupThousands(length - 2)} characters`}
        </button>
      )}
    </span>
  );
}

/** A string looks different from the number or the word that it spells. */
function Quote() {
  return <span className="ins-json__quote">"</span>;
}
