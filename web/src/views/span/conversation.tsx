/** The messages of a model call, read as a conversation. */
import { useMemo, useState } from 'react';
import type { Message, Part } from '../../api/types.ts';
import { joinToolResults, type Turn, type TurnPart } from '../../model/conversation.ts';
import { groupThousands } from '../../model/format.ts';
import { indexJson } from '../../model/json-text.ts';
import { CopyButton } from '../copy-button.tsx';
import { ActionIcon, KindIcon } from '../icons.tsx';
import { BlobView } from './blob-view.tsx';
import { ClampedText } from './clamped-text.tsx';
import { JsonTree } from './json-tree.tsx';
import { PayloadView } from './payload.tsx';
import './conversation.css';

export function Conversation({ messages }: { readonly messages: readonly Message[] }) {
  const [isRaw, setRaw] = useState(false);
  const turns = useMemo(() => joinToolResults(messages), [messages]);
  return (
    <div className="ins-talk">
      <button
        type="button"
        className="ins-talk__mode"
        aria-pressed={isRaw}
        onClick={() => setRaw(!isRaw)}
      >
        {isRaw ? 'Formatted' : 'Plain text'}
      </button>
      <ol>
        {turns.map((turn, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: turns have no identity but their place
          <TurnView key={at} turn={turn} isFormatted={!isRaw} />
        ))}
      </ol>
    </div>
  );
}

interface TurnProps {
  readonly turn: Turn;
  readonly isFormatted: boolean;
}

function TurnView({ turn, isFormatted }: TurnProps) {
  const isSystem = turn.role === 'system' || turn.origin === 'system';
  const parts = turn.parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
    <PartView key={at} part={part} isFormatted={isFormatted} />
  ));
  return (
    <li className={`ins-turn ins-turn--${isSystem ? 'system' : turn.origin}`}>
      <header className="ins-turn__head">
        <span className="ins-turn__role">{isSystem ? 'system' : turn.role}</span>
        {turn.name !== null && <span>{turn.name}</span>}
        {turn.finishReason !== null && (
          <span className="ins-turn__reason" title="Why the model stopped">
            {turn.finishReason}
          </span>
        )}
        <span className="ins-turn__copy">
          <CopyButton text={() => textOf(turn.parts)} what="this message" />
        </span>
      </header>
      {isSystem ? (
        <Fold label={`System prompt, ${groupThousands(textOf(turn.parts).length)} characters`}>
          {parts}
        </Fold>
      ) : turn.parts.length === 0 ? (
        <p className="ins-none">Empty message.</p>
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
    case 'tool_use':
      return `${part.call.name}(${part.call.arguments?.text ?? ''})`;
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
}

function PartView({ part, isFormatted }: PartProps) {
  switch (part.type) {
    case 'text':
      return <TextView text={part.text} isFormatted={isFormatted} />;
    case 'reasoning':
      return (
        <Fold label={`Reasoning, ${groupThousands(part.text.length)} characters`}>
          <ClampedText text={part.text} isMarkdown={isFormatted} />
        </Fold>
      );
    case 'tool_use':
      return <ToolUse part={part} />;
    case 'tool_result':
      return <ToolResult part={part} />;
    case 'blob':
      return <BlobView blob={part} />;
    case 'link':
      return (
        <p className="ins-part__link">
          {part.modality ?? 'link'} {part.mime_type} <code>{part.uri}</code>
          <CopyButton text={part.uri} what="the address" />
        </p>
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

/** A text that is one JSON document is shown as such. */
function TextView({ text, isFormatted }: { readonly text: string; readonly isFormatted: boolean }) {
  const index = useMemo(() => (/^\s*[{[]/.test(text) ? indexJson(text) : undefined), [text]);
  if (isFormatted && index !== undefined)
    return <JsonTree index={index} root={0} what="the text" />;
  return isFormatted ? <ClampedText text={text} isMarkdown /> : <ClampedText text={text} isData />;
}

function ToolUse({ part }: { readonly part: Extract<TurnPart, { type: 'tool_use' }> }) {
  const { call, result } = part;
  return (
    <div className="ins-use">
      <p className="ins-use__name">
        <KindIcon kind="tool" />
        <span>
          calls <strong>{call.name}</strong>
        </span>
        {call.id !== null && <code className="ins-use__id">{call.id}</code>}
      </p>
      {call.arguments !== null && <PayloadView payload={call.arguments} what="the arguments" />}
      {result === undefined ? null : result.result === null ? (
        <p className="ins-none">The result was not captured.</p>
      ) : (
        <>
          <p className="ins-part__label">result</p>
          <PayloadView payload={result.result} what="the result" />
        </>
      )}
    </div>
  );
}

function ToolResult({ part }: { readonly part: Extract<Part, { type: 'tool_result' }> }) {
  return (
    <div className="ins-use">
      <p className="ins-use__name">
        <KindIcon kind="tool" />
        <span>result of a tool</span>
        {part.id !== null && <code className="ins-use__id">{part.id}</code>}
      </p>
      {part.result === null ? (
        <p className="ins-none">The result was not captured.</p>
      ) : (
        <PayloadView payload={part.result} what="the result" />
      )}
    </div>
  );
}

/** Folded at first: one line that says how much there is. */
function Fold({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="ins-fold">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ActionIcon name="caret" />
        {label}
      </button>
      {isOpen && <div className="ins-fold__body">{children}</div>}
    </div>
  );
}
