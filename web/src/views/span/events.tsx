/** Events of the span, by time. */
import { useMemo, useState } from 'react';
import type { SpanDetail } from '../../api/types.ts';
import { indexJson, type JsonIndex, JsonKind } from '../../model/json/json-text.ts';
import { formatDuration } from '../../model/text/format.ts';
import { usePreferences } from '../parts/context.ts';
import { useTimes } from '../parts/times.tsx';
import { JsonTree } from '../parts/values/json-tree.tsx';
import { LongValue } from '../parts/values/long-value.tsx';
import { useShownSpan } from '../parts/values/shown-span.ts';
import { ValueView } from '../parts/values/value-view.tsx';
import { AttributeTable } from './attributes.tsx';
import './events.css';
import { PARTS_TEXT, SPAN_TEXT } from '../../texts.ts';

interface EventsProps {
  readonly text: string;
  readonly detail: SpanDetail;
}

/** Number of events at first. */
const FIRST = 100;
const MORE = 400;

export function Events({ text, detail }: EventsProps) {
  const { wallClock } = usePreferences();
  const times = useTimes();
  const [count, setCount] = useState(FIRST);
  const index = useMemo(() => indexJson(text), [text]);
  const list = index?.member(0, 'events');
  if (index === undefined || list === undefined) return null;
  const nodes = [...index.children(list)];
  const shown = detail.events.slice(0, count);
  return (
    <ol className="ins-events">
      {shown.map((event, at) => {
        const node = nodes[at];
        const body = node === undefined ? undefined : index.member(node, 'body');
        const isException = event.name === 'exception';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no identity but their place
          <li key={at} className={isException ? 'ins-events__exception' : undefined}>
            <header>
              <time dateTime={event.time} title={times.exactly(event.time)}>
                {wallClock
                  ? times.ofDay(event.time)
                  : `+${formatDuration(event.offset_ns - detail.offset_ns)}`}
              </time>
              <strong>{event.name}</strong>
              {event.source === 'log' && <span>{SPAN_TEXT.logRecord}</span>}
            </header>
            {body !== undefined && index.kind[body] !== JsonKind.Null && (
              <Body index={index} node={body} at={`/events/${at}/body`} />
            )}
            <AttributeTable
              title=""
              at={`/events/${at}/attributes`}
              index={index}
              node={node === undefined ? undefined : index.member(node, 'attributes')}
              filter=""
            />
          </li>
        );
      })}
      {shown.length < detail.events.length && (
        <li>
          <button type="button" className="ins-link" onClick={() => setCount(count + MORE)}>
            {PARTS_TEXT.more(detail.events.length - shown.length)}
          </button>
        </li>
      )}
    </ol>
  );
}

interface BodyProps {
  readonly index: JsonIndex;
  readonly node: number;
  readonly at: string;
}

function Body({ index, node, at }: BodyProps) {
  const cut = useShownSpan()?.cuts.at(at);
  if (cut === undefined) return <JsonTree index={index} root={node} what={SPAN_TEXT.body} />;
  return (
    <LongValue key={cut.size_bytes} cut={cut} beginning={index.string(node)} what={SPAN_TEXT.body}>
      {(text) => (
        <ValueView text={text} form={cut.is_json ? 'json' : 'text'} what={SPAN_TEXT.body} />
      )}
    </LongValue>
  );
}
