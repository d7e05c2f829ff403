/** Attributes as they were stored: of the span, its resource and its instrumentation. */
import { useMemo, useState } from 'react';
import type { SpanDetail } from '../../api/types.ts';
import { indexJson, type JsonIndex, JsonKind } from '../../model/json-text.ts';
import { CopyButton } from '../copy-button.tsx';
import { SearchField } from '../search-field.tsx';
import { ClampedText } from './clamped-text.tsx';
import { JsonTree } from './json-tree.tsx';
import './attributes.css';

interface AttributesProps {
  /** The whole answer: values are read from it as text, so that no digit is lost. */
  readonly text: string;
  readonly detail: SpanDetail;
}

export function Attributes({ text, detail }: AttributesProps) {
  const [filter, setFilter] = useState('');
  const index = useMemo(() => indexJson(text), [text]);
  if (index === undefined) return null;
  const resource = index.member(0, 'resource');
  const scope = index.member(0, 'scope');
  return (
    <>
      <SearchField
        value={filter}
        label="Filter attributes"
        placeholder="Filter attributes"
        onChange={setFilter}
      />
      <AttributeTable
        title="Span"
        {...{ index, filter }}
        node={index.member(0, 'attributes')}
        cut={detail.view.truncated}
      />
      <AttributeTable
        title="Resource"
        {...{ index, filter }}
        node={resource === undefined ? undefined : index.member(resource, 'attributes')}
      />
      <AttributeTable
        title={`Instrumentation ${[detail.scope.name, detail.scope.version].filter(Boolean).join(' ')}`}
        {...{ index, filter }}
        node={scope === undefined ? undefined : index.member(scope, 'attributes')}
      />
    </>
  );
}

interface AttributeTableProps {
  readonly title: string;
  readonly index: JsonIndex;
  readonly node: number | undefined;
  readonly filter: string;
  /** Names of attributes that the sender cut short. */
  readonly cut?: readonly string[];
}

export function AttributeTable({ title, index, node, filter, cut = [] }: AttributeTableProps) {
  const rows = useMemo(() => rowsOf(index, node, filter), [index, node, filter]);
  if (rows.length === 0) return null;
  return (
    <section className="ins-section">
      <h3>{title}</h3>
      <dl className="ins-attributes">
        {rows.map(({ key, value }) => (
          <AttributeRow key={key} name={key} index={index} node={value} isCut={cut.includes(key)} />
        ))}
      </dl>
    </section>
  );
}

function rowsOf(index: JsonIndex, node: number | undefined, filter: string) {
  if (node === undefined) return [];
  const wanted = filter.toLowerCase();
  return [...index.children(node)]
    .map((value) => ({ key: index.key(value) ?? '', value }))
    .filter(
      ({ key, value }) =>
        wanted === '' ||
        key.toLowerCase().includes(wanted) ||
        index.source(value).toLowerCase().includes(wanted),
    )
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function plain(index: JsonIndex, node: number): string {
  return index.kind[node] === JsonKind.String ? index.string(node) : index.source(node);
}

interface AttributeRowProps {
  readonly name: string;
  readonly index: JsonIndex;
  readonly node: number;
  readonly isCut: boolean;
}

/** A string that holds a JSON document is shown as one; a tree has a line of its own. */
function AttributeRow({ name, index, node, isCut }: AttributeRowProps) {
  const isString = index.kind[node] === JsonKind.String;
  const text = isString ? index.string(node) : '';
  const nested = useMemo(() => (/^\s*[{[]/.test(text) ? indexJson(text) : undefined), [text]);
  const isTree = nested !== undefined || index.isContainer(node);
  return (
    <div className={isTree ? 'ins-attributes__tree' : undefined}>
      <dt>{name}</dt>
      <dd>
        {isCut && <span className="ins-attributes__cut">cut short</span>}
        {isTree ? (
          <JsonTree
            index={nested ?? index}
            root={nested === undefined ? node : 0}
            what={name}
            isFolded
          />
        ) : (
          <ClampedText text={isString ? text : index.source(node)} isData />
        )}
      </dd>
      <span className="ins-attributes__copy">
        <CopyButton text={() => plain(index, node)} what={name} />
      </span>
    </div>
  );
}
