/** The context of a session's LLM calls: a stacked column for each, in order of time. */
import { useMemo, useState } from 'react';
import type { CallContext } from '../../api/types.ts';
import {
  type Column,
  cachedShare,
  columnsOf,
  PART_NAMES,
  sumOf,
  tokensOf,
} from '../../model/context/context-parts.ts';
import { formatShare, groupThousands } from '../../model/text/format.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { CONTEXT_TEXT } from '../../texts.ts';
import { rowsOf, useListFocus } from '../parts/list-focus.ts';
import '../parts/context-parts.css';
import './context-stream.css';

interface ContextStreamProps {
  readonly calls: readonly CallContext[];
  readonly onOpen: (call: CallContext) => void;
}

export function ContextStream({ calls, onOpen }: ContextStreamProps) {
  const { columns, unit, most } = useMemo(() => columnsOf(calls), [calls]);
  const keys = useMemo(() => calls.map(spanKey), [calls]);
  const [list, setList] = useState<HTMLElement | null>(null);
  const focus = useListFocus(list, { ...rowsOf(keys), isAcross: true });
  const shown = PART_NAMES.filter((name) =>
    calls.some(({ parts }) => parts.some(({ part, chars }) => part === name && chars > 0)),
  );
  const amount = groupThousands(most);
  return (
    <figure className="ins-stream">
      <ol
        ref={setList}
        className="ins-stream__columns"
        aria-label={CONTEXT_TEXT.stream}
        {...focus.list}
      >
        {columns.map((column, at) => {
          const title = titleOf(column.call, at, columns.length);
          return (
            <li key={keys[at]} data-row={keys[at]}>
              <button
                type="button"
                data-focus
                tabIndex={at === focus.at ? 0 : -1}
                title={title}
                aria-label={title}
                onClick={() => onOpen(column.call)}
              >
                <Stack column={column} />
              </button>
            </li>
          );
        })}
      </ol>
      <figcaption>
        {shown.map((name) => (
          <span
            key={name}
            className={`ins-stream__key ins-part-of ins-part-of--${name}`}
            title={CONTEXT_TEXT.about[name]}
          >
            <span className="ins-part-of__key" />
            {CONTEXT_TEXT.parts[name]}
          </span>
        ))}
        {columns.some(({ cached }) => cached > 0) && (
          <span className="ins-stream__key" title={CONTEXT_TEXT.cachedTitle}>
            <i />
            {CONTEXT_TEXT.cachedUpTo}
          </span>
        )}
        {calls.some((call) => sumOf(call, 'dropped_chars') > 0) && (
          <span
            className="ins-stream__key ins-stream__key--dropped"
            title={CONTEXT_TEXT.droppedTitle}
          >
            <i />
            {CONTEXT_TEXT.somethingDropped}
          </span>
        )}
        <span title={CONTEXT_TEXT.estimated}>
          {CONTEXT_TEXT.upTo(
            unit === 'tokens' ? CONTEXT_TEXT.sent(amount) : CONTEXT_TEXT.characters(amount),
          )}
        </span>
      </figcaption>
    </figure>
  );
}

function Stack({ column: { call, heights, cached } }: { readonly column: Column }) {
  return (
    <>
      {heights.map(({ part, height }) => (
        <span
          key={part}
          className={`ins-stream__part ins-part-of ins-part-of--${part}`}
          style={{ height: `${height * 100}%` }}
        />
      ))}
      {cached > 0 && <span className="ins-stream__cached" style={{ height: `${cached * 100}%` }} />}
      {sumOf(call, 'dropped_chars') > 0 && <span className="ins-stream__dropped" />}
    </>
  );
}

/** What a column says: its call, its agent and its parts. */
function titleOf(call: CallContext, at: number, count: number): string {
  const amountOf = (chars: number) => {
    const tokens = tokensOf(call, chars);
    return tokens === undefined
      ? CONTEXT_TEXT.characters(groupThousands(chars))
      : CONTEXT_TEXT.tokens(groupThousands(tokens));
  };
  const cached = cachedShare(call);
  const repeated = sumOf(call, 'repeated_chars');
  const dropped = sumOf(call, 'dropped_chars');
  return [
    [CONTEXT_TEXT.call(at + 1, count), call.agent, call.model].filter(Boolean).join(' · '),
    ...call.parts
      .filter(({ chars }) => chars > 0)
      .map(({ part, chars }) => `${CONTEXT_TEXT.parts[part]}: ${amountOf(chars)}`),
    cached === undefined ? '' : CONTEXT_TEXT.cached(formatShare(cached)),
    repeated === 0 ? '' : CONTEXT_TEXT.repeated(amountOf(repeated)),
    dropped === 0 ? '' : CONTEXT_TEXT.dropped(amountOf(dropped)),
  ]
    .filter(Boolean)
    .join('\n');
}
