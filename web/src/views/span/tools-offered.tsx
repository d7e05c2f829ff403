/** The tools offered to a model: name, description, schema, which were called, what is new. */
import { useState } from 'react';
import type { Message, ToolDefinition, ToolsBefore } from '../../api/types.ts';
import { groupThousands } from '../../model/text/format.ts';
import { SPAN_TEXT, showAll } from '../../texts.ts';
import { ClampedText } from '../parts/values/clamped-text.tsx';
import { PayloadView } from '../parts/values/payload.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { Fold } from './fold.tsx';
import './tools-offered.css';

/** Number of tools at first; more on request. */
const FIRST = 100;

interface ToolsOfferedProps {
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  /** How they differ from those of a call before; null: there is none. */
  readonly before: ToolsBefore | null;
  readonly onSelect?: ((key: string) => void) | undefined;
}

export function ToolsOffered({ tools, messages, before, onSelect }: ToolsOfferedProps) {
  return (
    <Fold label={`${SPAN_TEXT.toolsOffered(tools.length)}${comparison(before)}`}>
      {before !== null && (
        <p className="ins-none">
          {isSame(before) ? SPAN_TEXT.unchangedSince : SPAN_TEXT.comparedWith}{' '}
          <button
            type="button"
            className="ins-link"
            onClick={() => onSelect?.(`${before.trace_id}.${before.span_id}`)}
          >
            {SPAN_TEXT.earlierCall}
          </button>
          {before.removed.length > 0 && (
            <>
              {`, ${SPAN_TEXT.noLongerOffered} `}
              <VisibleText text={before.removed.join(', ')} />
            </>
          )}
          .
        </p>
      )}
      <OfferedTools {...{ tools, messages, before }} />
    </Fold>
  );
}

/** Each tool, folded: description and schema, whether the answer calls it, whether it is new. */
export function OfferedTools({ tools, messages, before }: Omit<ToolsOfferedProps, 'onSelect'>) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? tools : tools.slice(0, FIRST);
  const called = callsByName(messages);
  return (
    <>
      <ul className="ins-offered">
        {shown.map((tool, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a name may be there twice
          <li key={at}>
            <Fold
              label={
                <Name tool={tool} marks={marksOf(tool.name, called.get(tool.name) ?? 0, before)} />
              }
            >
              {tool.description !== null && <ClampedText text={tool.description} />}
              {tool.parameters === null ? (
                <p className="ins-none">{SPAN_TEXT.notCaptured}</p>
              ) : (
                <PayloadView payload={tool.parameters} what={SPAN_TEXT.schemaOf(tool.name)} />
              )}
            </Fold>
          </li>
        ))}
      </ul>
      {shown.length < tools.length && (
        <button type="button" className="ins-link" onClick={() => setAll(true)}>
          {showAll(groupThousands(tools.length))}
        </button>
      )}
    </>
  );
}

function isSame({ added, removed, changed }: ToolsBefore): boolean {
  return added.length + removed.length + changed.length === 0;
}

function comparison(before: ToolsBefore | null): string {
  if (before === null) return '';
  return isSame(before) ? ', unchanged' : ', changed';
}

/** How often the model's answer calls each tool. */
function callsByName(messages: readonly Message[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const message of messages) {
    if (message.origin !== 'output') continue;
    for (const part of message.parts) {
      if (part.type === 'tool_call') found.set(part.name, (found.get(part.name) ?? 0) + 1);
    }
  }
  return found;
}

function marksOf(name: string, calls: number, before: ToolsBefore | null): readonly string[] {
  const marks = [];
  if (calls > 0) marks.push(SPAN_TEXT.calledTimes(calls));
  if (before?.added.includes(name)) marks.push(SPAN_TEXT.isNew);
  if (before?.changed.includes(name)) marks.push(SPAN_TEXT.isChanged);
  return marks;
}

interface NameProps {
  readonly tool: ToolDefinition;
  readonly marks: readonly string[];
}

function Name({ tool, marks }: NameProps) {
  return (
    <span className="ins-offered__name">
      <strong>
        <VisibleText text={tool.name} />
      </strong>
      {marks.map((mark) => (
        <em key={mark}> {mark}</em>
      ))}
      {tool.description !== null && <span> {tool.description.slice(0, 200)}</span>}
    </span>
  );
}
