/** Links to other spans: those that this one refers to, and its duplicates. */

import { useMemo, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import type { SpanDetail, SpanLink, SpanRow } from '../../api/types.ts';
import { indexJson } from '../../model/json/json-text.ts';
import { plural } from '../../model/text/format.ts';
import { duplicatesOf } from '../../model/trace/span-family.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { sessionPath } from '../../state/route.ts';
import type { Trace } from '../../state/trace.ts';
import { PARTS_TEXT, SPAN_TEXT } from '../../texts.ts';
import { useInspector } from '../parts/context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { KindIcon } from '../parts/icons.tsx';
import { AttributeTable } from './attributes.tsx';
import './links.css';

interface LinksProps {
  readonly text: string;
  readonly detail: SpanDetail;
  readonly row: SpanRow;
  readonly trace: Trace;
  readonly onSelect: (key: string) => void;
}

const MAX_SHOWN = 500;

export function Links({ text, detail, row, trace, onSelect }: LinksProps) {
  const duplicates = useMemo(() => duplicatesOf(trace.spans, row), [trace, row]);
  const index = useMemo(() => indexJson(text), [text]);
  const list = index?.member(0, 'links');
  const nodes = index === undefined || list === undefined ? [] : [...index.children(list)];
  return (
    <>
      {duplicates.length > 0 && (
        <section className="ins-section">
          <h3>{SPAN_TEXT.sameOperation}</h3>
          <ul className="ins-links">
            {duplicates.map((duplicate) => (
              <li key={spanKey(duplicate)}>
                <SpanButton row={duplicate} onSelect={onSelect} />
                <code>{duplicate.span_id}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {detail.links.length > 0 && (
        <section className="ins-section">
          <h3>{SPAN_TEXT.linksTo}</h3>
          <ol className="ins-links">
            {detail.links.slice(0, MAX_SHOWN).map((link, at) => {
              const node = nodes[at];
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: a span may be linked to twice
                <li key={at}>
                  <Target link={link} trace={trace} onSelect={onSelect} />
                  <code>
                    {link.trace_id} {link.span_id}
                  </code>
                  <CopyButton
                    text={`${link.trace_id} ${link.span_id}`}
                    what={SPAN_TEXT.traceAndSpan}
                  />
                  {link.trace_state !== '' && <code>{link.trace_state}</code>}
                  {index !== undefined && (
                    <AttributeTable
                      title=""
                      index={index}
                      node={node === undefined ? undefined : index.member(node, 'attributes')}
                      at={`/links/${at}/attributes`}
                      filter=""
                    />
                  )}
                  {link.dropped_attributes > 0 && (
                    <p className="ins-none">
                      {SPAN_TEXT.dropped(plural(link.dropped_attributes, 'attribute'))}
                    </p>
                  )}
                </li>
              );
            })}
          </ol>
          {detail.links.length > MAX_SHOWN && (
            <p className="ins-none">{SPAN_TEXT.moreLinks(detail.links.length - MAX_SHOWN)}</p>
          )}
        </section>
      )}
    </>
  );
}

interface SpanButtonProps {
  readonly row: SpanRow;
  readonly onSelect: (key: string) => void;
}

/** Button that selects a span of the session. */
export function SpanButton({ row, onSelect }: SpanButtonProps) {
  return (
    <button type="button" className="ins-links__span" onClick={() => onSelect(spanKey(row))}>
      <KindIcon kind={row.kind} />
      <span>{row.name || PARTS_TEXT.noName}</span>
    </button>
  );
}

interface TargetProps {
  readonly link: SpanLink;
  readonly trace: Trace;
  readonly onSelect: (key: string) => void;
}

/** Target of a link: a span of this session, or one to be searched in the others. */
function Target({ link, trace, onSelect }: TargetProps) {
  const { api, router } = useInspector();
  const [problem, setProblem] = useState<string>();
  const here = trace.spans.get(spanKey(link));
  if (here !== undefined) return <SpanButton row={here} onSelect={onSelect} />;
  const go = () => {
    const { trace_id, span_id } = link;
    api.spanText({ trace_id, span_id }, undefined, 256).then(
      (text) => {
        const { session_id } = JSON.parse(text) as SpanDetail;
        router.push(`${sessionPath(session_id)}?span=${spanKey(link)}`);
      },
      (error: unknown) => {
        const isUnknown = error instanceof ApiError && error.status === 404;
        setProblem(isUnknown ? SPAN_TEXT.notInStore : String((error as Error).message));
      },
    );
  };
  return (
    <>
      <button type="button" className="ins-links__span" onClick={go}>
        {SPAN_TEXT.inAnotherSession}
      </button>
      {problem !== undefined && (
        <span className="ins-none" role="status">
          {problem}
        </span>
      )}
    </>
  );
}
