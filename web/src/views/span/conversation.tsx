/** The messages of an LLM call as a conversation. */
import { useMemo, useState } from 'react';
import type { Clamped, Message, Part, ToolDefinition, ToolsBefore } from '../../api/types.ts';
import { formatBytes, plural } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { joinToolResults, type Turn, type TurnPart } from '../../model/transcript/conversation.ts';
import {
  FACT_TEXT,
  PARTS_TEXT,
  reasoning,
  SPAN_TEXT,
  systemPrompt,
  TRANSCRIPT_TEXT,
} from '../../texts.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { KindIcon, StatusIcon } from '../parts/icons.tsx';
import { BlobView, FileChip } from '../parts/values/blob-view.tsx';
import { ClampedText } from '../parts/values/clamped-text.tsx';
import { JsonText } from '../parts/values/json-tree.tsx';
import { LongValue } from '../parts/values/long-value.tsx';
import { PayloadView } from '../parts/values/payload.tsx';
import { useCut, useShownSpan } from '../parts/values/shown-span.ts';
import { Fold } from './fold.tsx';
import { ToolsOffered } from './tools-offered.tsx';
import './conversation.css';

/** Number of turns at the end that are shown at first, and of each further step. */
const LAST = 60;
const MORE = 200;

interface ConversationProps {
  readonly messages: readonly Message[];
  /** Whether long results of tools are folded: what follows them is looked for. */
  readonly isBrief?: boolean;
  readonly tools?: readonly ToolDefinition[];
  readonly toolsBefore?: ToolsBefore | null;
  readonly onSelect?: (key: string) => void;
}

export function Conversation({
  messages,
  isBrief = false,
  tools = [],
  toolsBefore = null,
  onSelect,
}: ConversationProps) {
  const form = { isFormatted: useShownSpan()?.isRaw !== true, isBrief };
  const [last, setLast] = useState(LAST);
  const turns = useMemo(() => joinToolResults(messages), [messages]);
  // The system prompt stays at the top; what was said long ago comes when it is asked for.
  const system = turns.findIndex((turn) => !isOfSystem(turn));
  const head = system < 0 ? turns : turns.slice(0, system);
  const talk = system < 0 ? [] : turns.slice(system);
  const hidden = Math.max(talk.length - last, 0);
  return (
    <div className="ins-talk">
      {tools.length > 0 && (
        <ToolsOffered tools={tools} messages={messages} before={toolsBefore} onSelect={onSelect} />
      )}
      <ol>
        {head.map((turn, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: turns have no identity but their place
          <TurnView key={at} turn={turn} isAlone={turns.length === 1} {...form} />
        ))}
        {hidden > 0 && (
          <li className="ins-talk__more">
            <button type="button" className="ins-link" onClick={() => setLast(last + MORE)}>
              {SPAN_TEXT.earlier(hidden)}
            </button>
          </li>
        )}
        {talk.slice(hidden).map((turn, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: see above; earlier ones keep theirs
          <TurnView key={head.length + hidden + at} turn={turn} {...form} />
        ))}
      </ol>
    </div>
  );
}

function isOfSystem(turn: Turn): boolean {
  return turn.role === 'system' || turn.origin === 'system';
}

/** The whole conversation as text, for the clipboard. */
export function conversationText(messages: readonly Message[]): string {
  return joinToolResults(messages)
    .map((turn) => `${turn.role}:\n${textOf(turn.parts)}`)
    .join('\n\n');
}

interface TurnProps {
  readonly turn: Turn;
  /** Whether it is the whole conversation: then a system prompt is not folded. */
  readonly isAlone?: boolean;
  readonly isFormatted: boolean;
  readonly isBrief: boolean;
}

function TurnView({ turn, isAlone, isFormatted, isBrief }: TurnProps) {
  const isSystem = isOfSystem(turn);
  const calls = turn.parts.filter((part) => part.type === 'tool_use').length;
  const parts = turn.parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
    <PartView key={at} part={part} isFormatted={isFormatted} isBrief={isBrief} />
  ));
  return (
    <li className={`ins-turn ins-turn--${isSystem ? 'system' : turn.origin}`}>
      <header className="ins-turn__head">
        <span className="ins-turn__role">{isSystem ? SPAN_TEXT.system : turn.role}</span>
        {turn.name !== null && <span>{turn.name}</span>}
        {turn.finishReason !== null && (
          <span className="ins-turn__reason" title={FACT_TEXT.finishReason}>
            {turn.finishReason}
          </span>
        )}
        {calls > 1 && <span className="ins-turn__reason">{SPAN_TEXT.parallelCalls(calls)}</span>}
        <span className="ins-turn__copy">
          <CopyButton text={() => textOf(turn.parts)} what={SPAN_TEXT.message} />
        </span>
      </header>
      {isSystem && !isAlone ? (
        <Fold label={systemPrompt(textOf(turn.parts).length)}>{parts}</Fold>
      ) : turn.parts.length === 0 ? (
        <p className="ins-none">{SPAN_TEXT.emptyMessage}</p>
      ) : (
        parts
      )}
    </li>
  );
}

function textOf(parts: readonly TurnPart[]): string {
  return parts.map(partText).join('\n\n');
}

function partText(part: TurnPart): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'tool_use': {
      const call = `${part.call.name}(${part.call.arguments?.text ?? ''})`;
      return part.result === undefined ? call : `${call}\n→ ${part.result.result?.text ?? ''}`;
    }
    case 'tool_result':
      return part.result?.text ?? '';
    case 'link':
      return part.uri;
    case 'blob':
      return `[${part.mime_type ?? 'blob'}]`;
    case 'other':
      return part.value.text;
  }
}

interface PartProps {
  readonly part: TurnPart;
  readonly isFormatted: boolean;
  readonly isBrief: boolean;
}

function PartView({ part, isFormatted, isBrief }: PartProps) {
  const cut = useCut(part);
  switch (part.type) {
    case 'text':
      return (
        <>
          {part.is_refusal === true && (
            <p className="ins-part__refusal">
              <StatusIcon shape="cancelled" />
              {SPAN_TEXT.refusal}
            </p>
          )}
          <TextView part={part} isFormatted={isFormatted} />
        </>
      );
    case 'reasoning':
      return (
        <Fold label={reasoning(lengthOf(part, cut))}>
          <TextView part={part} isFormatted={isFormatted} />
        </Fold>
      );
    case 'tool_use':
      return <ToolUse part={part} />;
    case 'tool_result':
      return <ToolResult part={part} isBrief={isBrief} />;
    case 'blob':
      return <BlobView blob={part} />;
    case 'link':
      return (
        <FileChip name={part.name} modality={part.modality} mime={part.mime_type} uri={part.uri} />
      );
    case 'other':
      return (
        <div className="ins-part">
          <p className="ins-part__label">{part.part_type}</p>
          <PayloadView payload={part.value} what={part.part_type} />
        </div>
      );
  }
}

function lengthOf(part: { readonly text: string }, cut: Clamped | undefined): string {
  if (cut !== undefined) return formatBytes(cut.size_bytes);
  return plural(part.text.length, 'character');
}

interface TextViewProps {
  readonly part: { readonly text: string; readonly parse_error?: boolean };
  readonly isFormatted: boolean;
}

function TextView({ part, isFormatted }: TextViewProps) {
  const cut = useCut(part);
  if (cut === undefined) {
    return (
      <>
        {part.parse_error === true && <p className="ins-none">{SPAN_TEXT.notJson}</p>}
        <Text text={part.text} isFormatted={isFormatted} />
      </>
    );
  }
  return (
    <LongValue key={cut.size_bytes} cut={cut} beginning={part.text} what={PARTS_TEXT.theText}>
      {(text) => <Text text={text} isFormatted={isFormatted} />}
    </LongValue>
  );
}

/** Text of a message; a JSON document is shown as a tree. */
function Text({ text, isFormatted }: { readonly text: string; readonly isFormatted: boolean }) {
  if (!isFormatted) return <ClampedText text={text} isData />;
  return /^\s*[{[]/.test(text) ? (
    <JsonText text={text} what={PARTS_TEXT.theText} isMarkdown />
  ) : (
    <ClampedText text={text} isMarkdown />
  );
}

function ToolUse({ part }: { readonly part: Extract<TurnPart, { type: 'tool_use' }> }) {
  const { call, result } = part;
  return (
    <div className="ins-use">
      <p className="ins-use__name">
        <KindIcon kind="tool" />
        <span>
          {TRANSCRIPT_TEXT.calls} <strong>{call.name}</strong>
        </span>
        {call.id !== null && <code className="ins-use__id">{call.id}</code>}
      </p>
      {call.arguments !== null && (
        <PayloadView payload={call.arguments} what={PARTS_TEXT.arguments} />
      )}
      {result === undefined ? null : result.result === null ? (
        <p className="ins-none">{SPAN_TEXT.notCaptured}</p>
      ) : (
        <>
          <p className="ins-part__label">{SPAN_TEXT.result}</p>
          <PayloadView payload={result.result} what={PARTS_TEXT.result} />
        </>
      )}
    </div>
  );
}

/** Limit in characters of a result that is not folded. */
const BRIEF = 700;

interface ToolResultProps {
  readonly part: Extract<Part, { type: 'tool_result' }>;
  readonly isBrief: boolean;
}

function ToolResult({ part, isBrief }: ToolResultProps) {
  const cut = useCut(part.result ?? part);
  const text = part.result?.text ?? '';
  const value = part.result !== null && (
    <PayloadView payload={part.result} what={PARTS_TEXT.result} />
  );
  return (
    <div className="ins-use">
      <p className="ins-use__name">
        <KindIcon kind="tool" />
        <span>{TRANSCRIPT_TEXT.toolResult}</span>
        {part.id !== null && <code className="ins-use__id">{part.id}</code>}
      </p>
      {part.result === null ? (
        <p className="ins-none">{SPAN_TEXT.notCaptured}</p>
      ) : isBrief && (cut !== undefined || text.length > BRIEF) ? (
        <Fold label={`${lengthOf({ text }, cut)}: ${plainLine(text, 40)}`}>{value}</Fold>
      ) : (
        value
      )}
    </div>
  );
}
