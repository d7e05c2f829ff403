/** Attributes as stored: of the span, its resource and its instrumentation scope. */

import { useMemo, useState } from 'react';
import type { SpanDetail } from '../../api/types.ts';
import { indexJson, type JsonIndex, JsonKind } from '../../model/json/json-text.ts';
import { groupThousands } from '../../model/text/format.ts';
import { pointerStep } from '../../model/trace/cuts.ts';
import { isOfEnd } from '../../model/trace/detail-at.ts';
import { FACT_TEXT, SPAN_TEXT, showAll, TIME_TEXT } from '../../texts.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { ClampedText } from '../parts/values/clamped-text.tsx';
import { JsonTree } from '../parts/values/json-tree.tsx';
import { LongValue } from '../parts/values/long-value.tsx';
import { useShownSpan } from '../parts/values/shown-span.ts';
import { ValueView } from '../parts/values/value-view.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { CopyAs } from './copy-as.tsx';
import './attributes.css';

interface AttributesProps {
  /** The whole response: values are read from it as text, so that no digit is lost. */
  readonly text: string;
  readonly detail: SpanDetail;
  /** Whether the span is shown at an instant before its end. */
  readonly isThen?: boolean;
}

export function Attributes({ text, detail, isThen = false }: AttributesProps) {
  const [filter, setFilter] = useState('');
  const index = useMemo(() => indexJson(text), [text]);
  if (index === undefined) return null;
  const resource = index.member(0, 'resource');
  const scope = index.member(0, 'scope');
  return (
    <>
      <div className="ins-attributes__head">
        <SearchField
          value={filter}
          label={SPAN_TEXT.filterAttributes}
          placeholder={SPAN_TEXT.filterAttributes}
          hasKey={false}
          onChange={setFilter}
        />
        <CopyAs />
      </div>
      {isThen && <p className="ins-none">{TIME_TEXT.attributesAsEnded}</p>}
      <AttributeTable
        title={SPAN_TEXT.span}
        isShown={isThen ? isOfBeginning : undefined}
        {...{ index, filter }}
        node={index.member(0, 'attributes')}
        at="/attributes"
        cut={detail.view.truncated}
      />
      <AttributeTable
        title={SPAN_TEXT.resource}
        {...{ index, filter }}
        node={resource === undefined ? undefined : index.member(resource, 'attributes')}
        at="/resource/attributes"
      />
      <AttributeTable
        title={`${FACT_TEXT.instrumentation} ${[detail.scope.name, detail.scope.version].filter(Boolean).join(' ')}`}
        {...{ index, filter }}
        node={scope === undefined ? undefined : index.member(scope, 'attributes')}
        at="/scope/attributes"
      />
    </>
  );
}

interface AttributeTableProps {
  readonly title: string;
  readonly index: JsonIndex;
  readonly node: number | undefined;
  /** JSON Pointer into the answer about the span. */
  readonly at: string;
  readonly filter: string;
  /** Which of them are shown, by name; undefined: all. */
  readonly isShown?: ((name: string) => boolean) | undefined;
  /** Names of attributes that the sender truncated. */
  readonly cut?: readonly string[];
}

/** Number of attributes at first; more on request. */
const FIRST = 300;

export function AttributeTable(props: AttributeTableProps) {
  const { title, index, node, at, filter, isShown, cut = [] } = props;
  const [isAll, setAll] = useState(false);
  const rows = useMemo(
    () => rowsOf(index, node, filter).filter(({ key }) => isShown?.(key) ?? true),
    [index, node, filter, isShown],
  );
  if (rows.length === 0) return null;
  const shown = isAll ? rows : rows.slice(0, FIRST);
  return (
    <section className="ins-section">
      <h3>
        {title}
        {title !== '' && <span className="ins-attributes__count">{rows.length}</span>}
      </h3>
      <dl className="ins-attributes">
        {shown.map(({ key, value }) => (
          <AttributeRow
            key={key}
            name={key}
            index={index}
            node={value}
            at={`${at}${pointerStep(key)}`}
            isCut={cut.includes(key)}
          />
        ))}
      </dl>
      {shown.length < rows.length && (
        <button type="button" className="ins-link" onClick={() => setAll(true)}>
          {showAll(groupThousands(rows.length))}
        </button>
      )}
    </section>
  );
}

function isOfBeginning(name: string): boolean {
  return !isOfEnd(name);
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
  readonly at: string;
  readonly isCut: boolean;
}

/** Row of an attribute. A string that holds a JSON document is shown as a tree. */
function AttributeRow({ name, index, node, at, isCut }: AttributeRowProps) {
  const long = useShownSpan()?.cuts.at(at);
  const isString = index.kind[node] === JsonKind.String;
  const text = isString ? index.string(node) : '';
  const isRaw = useShownSpan()?.isRaw ?? false;
  const nested = useMemo(
    () => (!isRaw && long === undefined && /^\s*[{[]/.test(text) ? indexJson(text) : undefined),
    [text, long, isRaw],
  );
  const isTree = nested !== undefined || index.isContainer(node);
  const type = long?.is_json ? 'json' : TYPES[(index.kind[node] ?? JsonKind.Null) as JsonKind];
  return (
    <div className={isTree || long !== undefined ? 'ins-attributes__tree' : undefined}>
      <dt>
        <VisibleText text={name} />
        <span className="ins-attributes__type">{type}</span>
      </dt>
      <dd>
        {isCut && <span className="ins-attributes__cut">{SPAN_TEXT.isTruncated}</span>}
        {long !== undefined ? (
          <LongValue key={long.size_bytes} cut={long} beginning={text} what={name}>
            {(whole) => (
              <ValueView
                text={whole}
                form={/^\s*[{[]/.test(whole.slice(0, 100)) ? 'json' : 'text'}
                what={name}
              />
            )}
          </LongValue>
        ) : isTree ? (
          <JsonTree
            index={nested ?? index}
            root={nested === undefined ? node : 0}
            what={name}
            isFolded
          />
        ) : (
          <ClampedText text={isString ? text : index.source(node)} what={name} isData />
        )}
      </dd>
      <span className="ins-attributes__copy">
        {long === undefined && <CopyButton text={() => plain(index, node)} what={name} />}
        <CopyButton text={name} what={SPAN_TEXT.attributeName} label={SPAN_TEXT.name} />
      </span>
    </div>
  );
}

/** Types in OTLP's terms, as far as JSON distinguishes them. */
const TYPES: Readonly<Record<JsonKind, string>> = {
  [JsonKind.Object]: 'map',
  [JsonKind.Array]: 'array',
  [JsonKind.String]: 'string',
  [JsonKind.Number]: 'number',
  [JsonKind.True]: 'bool',
  [JsonKind.False]: 'bool',
  [JsonKind.Null]: 'empty',
};
