/** One line of a JSON tree: its key, its value or size, and its buttons. */
import { useState } from 'react';
import type { JsonRows } from '../../../model/json/json-rows.ts';
import { type JsonIndex, JsonKind } from '../../../model/json/json-text.ts';
import { groupThousands, plural } from '../../../model/text/format.ts';
import { plainLine } from '../../../model/text/hidden-characters.ts';
import { VALUE_TEXT } from '../../../texts.ts';
import { CopyButton } from '../copy-button.tsx';
import { ActionIcon } from '../icons.tsx';
import { isRowClick } from '../list-focus.ts';
import { VisibleText } from '../visible-text.tsx';

/** View of a string by itself. */
export type InsideForm = 'text' | 'json';

interface JsonRowProps {
  readonly index: JsonIndex;
  readonly root: number;
  readonly rows: JsonRows;
  readonly row: number;
  readonly isOpen: boolean;
  readonly isCurrent: boolean;
  readonly toggle: (row: number) => void;
  readonly onInside: (node: number, form: InsideForm) => void;
}

const INDENT_PX = 16;
const MAX_INDENT = 24;
const MAX_LABEL = 200;

export function JsonRow(props: JsonRowProps) {
  const { index, root, rows, row, isOpen, isCurrent, toggle, onInside } = props;
  const depth = rows.depth(row);
  const canOpen = row < 0 || (index.childCount[row] ?? 0) > 0;
  const key = row > 0 ? index.key(row) : undefined;
  const label = row < 0 || row === root ? undefined : (key ?? String(index.position[row] ?? 0));
  const parent = index.parent[Math.abs(row)] ?? -1;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree that it is in has the keys
    <div
      data-row={row}
      data-focus=""
      tabIndex={isCurrent ? 0 : -1}
      className={`ins-json__row${canOpen ? ' ins-json__row--opens' : ''}`}
      role="treeitem"
      aria-label={[label, row < 0 ? rangeText(rows.range(row)) : shortValue(index, row, isOpen)]
        .filter((part) => part !== undefined)
        .map((part) => plainLine(part, SHORT))
        .join(': ')}
      aria-level={depth + 1}
      aria-expanded={canOpen ? isOpen : undefined}
      aria-selected={isCurrent}
      aria-setsize={row > root ? (index.childCount[parent] ?? 1) : undefined}
      aria-posinset={row > root ? (index.position[row] ?? 0) + 1 : undefined}
      style={{ paddingLeft: Math.min(depth, MAX_INDENT) * INDENT_PX }}
      onClick={(event) => {
        if (canOpen && isRowClick(event)) toggle(row);
      }}
    >
      <span className={`ins-json__caret${canOpen && isOpen ? ' ins-json__caret--open' : ''}`}>
        {canOpen && <ActionIcon name="caret" />}
      </span>
      {label !== undefined && (
        <span className={key === undefined ? 'ins-json__position' : 'ins-json__key'}>
          <VisibleText text={label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL)}…` : label} />
        </span>
      )}
      {row < 0 ? (
        <span className="ins-json__count">{rangeText(rows.range(row))}</span>
      ) : (
        <Value index={index} node={row} isOpen={isOpen} onInside={onInside} />
      )}
      {row >= 0 && (
        <span className="ins-json__copy">
          <CopyButton text={() => plainText(index, row)} what={VALUE_TEXT.value} />
          {row !== root && (
            <CopyButton
              text={() => index.path(row)}
              what={VALUE_TEXT.thePath}
              label={VALUE_TEXT.path}
            />
          )}
        </span>
      )}
    </div>
  );
}

/** The value in the name of its line, which would else have the buttons in it, too. */
function shortValue(index: JsonIndex, node: number, isOpen: boolean): string {
  if (index.isContainer(node)) return summary(index, node, isOpen);
  if (index.kind[node] === JsonKind.String) return `"${index.string(node, SHORT)}"`;
  return index.source(node).slice(0, MAX_LABEL);
}

function rangeText([first, last]: readonly [number, number]): string {
  return `${groupThousands(first)} … ${groupThousands(last)}`;
}

/** Text to copy: the decoded text of a string, any other value as written. */
export function plainText(index: JsonIndex, node: number): string {
  return index.kind[node] === JsonKind.String ? index.string(node) : index.source(node);
}

interface ValueProps {
  readonly index: JsonIndex;
  readonly node: number;
  readonly isOpen: boolean;
  readonly onInside: (node: number, form: InsideForm) => void;
}

function Value({ index, node, isOpen, onInside }: ValueProps) {
  switch (index.kind[node]) {
    case JsonKind.Object:
    case JsonKind.Array: {
      const text = summary(index, node, isOpen);
      return (
        <span className="ins-json__count" title={text}>
          {text}
        </span>
      );
    }
    case JsonKind.String:
      return <StringValue index={index} node={node} onInside={onInside} />;
    case JsonKind.Number:
      return <span className="ins-json__number">{index.source(node).slice(0, MAX_LABEL)}</span>;
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
/** Limit of a string in its line; a longer one opens by itself. */
const MAX_IN_PLACE = 4000;

function StringValue({ index, node, onInside }: Omit<ValueProps, 'isOpen'>) {
  const [isWhole, setWhole] = useState(false);
  const start = index.start[node] ?? 0;
  const length = (index.end[node] ?? 0) - start - 2;
  const isLong = length > SHORT;
  const text = isWhole || !isLong ? index.string(node) : index.string(node, SHORT);
  const show = () => (length > MAX_IN_PLACE ? onInside(node, 'text') : setWhole(!isWhole));
  return (
    <span className="ins-json__string">
      <Quote />
      <VisibleText text={text} />
      {isLong && !isWhole ? '' : <Quote />}
      {isLong && (
        <button type="button" className="ins-json__more" onClick={show}>
          {isWhole ? VALUE_TEXT.less : `… ${plural(length, 'character')}`}
        </button>
      )}
      {mayBeJson(index, start) && (
        <button type="button" className="ins-json__more" onClick={() => onInside(node, 'json')}>
          {VALUE_TEXT.asJson}
        </button>
      )}
    </span>
  );
}

/** Whether a string looks like JSON, by its first characters; it is parsed when opened. */
function mayBeJson(index: JsonIndex, start: number): boolean {
  return /^"(?:\s|\\[nrt])*(?:\{(?:\s|\\[nrt])*(?:\\"|\})|\[(?:\s|\\[nrt])*(?:\\"|[\d[{\]tfn-]))/.test(
    index.text.slice(start, start + 40),
  );
}

/** Quotation mark, so that a string differs from the number or the word that it spells. */
function Quote() {
  return <span className="ins-json__quote">"</span>;
}
