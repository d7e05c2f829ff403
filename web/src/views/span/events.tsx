/** Moments inside the span, in time. */
import { useMemo } from 'react';
import type { SpanDetail } from '../../api/types.ts';
import { formatDuration, formatTimeOfDay } from '../../model/format.ts';
import { indexJson, JsonKind } from '../../model/json-text.ts';
import { AttributeTable } from './attributes.tsx';
import { JsonTree } from './json-tree.tsx';
import './events.css';

interface EventsProps {
  readonly text: string;
  readonly detail: SpanDetail;
}

export function Events({ text, detail }: EventsProps) {
  const index = useMemo(() => indexJson(text), [text]);
  const list = index?.member(0, 'events');
  if (index === undefined || list === undefined) return null;
  const nodes = [...index.children(list)];
  return (
    <ol className="ins-events">
      {detail.events.map((event, at) => {
        const node = nodes[at];
        const body = node === undefined ? undefined : index.member(node, 'body');
        const isException = event.name === 'exception';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no identity but their place
          <li key={at} className={isException ? 'ins-events__exception' : undefined}>
            <header>
              <time dateTime={event.time} title={formatTimeOfDay(event.time)}>
                +{formatDuration(event.offset_ns - detail.offset_ns)}
              </time>
              <strong>{event.name}</strong>
              {event.source === 'log' && <span>log record</span>}
            </header>
            {body !== undefined && index.kind[body] !== JsonKind.Null && (
              <JsonTree index={index} root={body} what="the body" />
            )}
            <AttributeTable
              title=""
              index={index}
              node={node === undefined ? undefined : index.member(node, 'attributes')}
              filter=""
            />
          </li>
        );
      })}
    </ol>
  );
}
