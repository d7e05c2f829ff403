/** New messages of an LLM call, and their parts. */
import { type ReactNode, useState } from 'react';
import type { BlobPart, Piece, Said, SpanDetail } from '../../api/types.ts';
import { formatBytes, plural } from '../../model/text/format.ts';
import { PARTS_TEXT, reasoning, systemPrompt, TRANSCRIPT_TEXT } from '../../texts.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { ActionIcon, KindIcon } from '../parts/icons.tsx';
import { BlobView } from '../parts/values/blob-view.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { ClipView } from './clip-view.tsx';

interface MessageProps {
  readonly message: Said;
  /** Whether a piece is shown elsewhere. */
  readonly isElsewhere: (piece: Piece) => boolean;
  readonly isOpen: boolean;
  /** The result of a tool call that has no span. */
  readonly resultOf: (call: Piece) => Piece | undefined;
}

export function Message({ message, isElsewhere, isOpen, resultOf }: MessageProps) {
  const pieces = message.pieces.filter((piece) => !isElsewhere(piece));
  if (pieces.length === 0) return null;
  const isSystem =
    message.origin === 'system' || message.role === 'system' || message.role === 'developer';
  const body = pieces.map((piece) => (
    <PieceView key={piece.at.join()} piece={piece} isOpen={isOpen} result={resultOf(piece)} />
  ));
  if (isSystem) {
    return (
      <Fold label={systemPrompt(charsOf(pieces))} isOpen={isOpen}>
        {body}
      </Fold>
    );
  }
  const isOutput = message.origin === 'output';
  return (
    <div className={`ins-msg ins-msg--${isOutput ? 'output' : roleClass(message.role)}`}>
      {!isOutput && (
        <p className="ins-msg__role">
          {message.role}
          {message.name !== null && ` ${message.name}`}
          {message.role === 'assistant' && TRANSCRIPT_TEXT.context}
        </p>
      )}
      {body}
    </div>
  );
}

function roleClass(role: string): string {
  return role === 'user' || role === 'tool' || role === 'assistant' ? role : 'other';
}

function charsOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { clip }) => sum + (clip?.chars ?? 0), 0);
}

interface PieceViewProps {
  readonly piece: Piece;
  readonly isOpen: boolean;
  readonly result: Piece | undefined;
}

function PieceView({ piece, isOpen, result }: PieceViewProps) {
  const { clip } = piece;
  switch (piece.type) {
    case 'text':
      return clip === null ? null : (
        <ClipView clip={clip} what={PARTS_TEXT.theText} whole={wholeOf(piece)} isMarkdown />
      );
    case 'reasoning':
      return clip === null ? null : (
        <Fold label={reasoning(plural(clip.chars, 'character'))} isOpen={isOpen}>
          <ClipView
            clip={clip}
            what={TRANSCRIPT_TEXT.reasoning}
            whole={wholeOf(piece)}
            isMarkdown
          />
        </Fold>
      );
    case 'tool_call':
      return (
        <div className="ins-tx__call">
          <p>
            <KindIcon kind="tool" />
            {TRANSCRIPT_TEXT.calls} <strong>{piece.name}</strong>
          </p>
          {clip !== null && (
            <ClipView
              clip={clip}
              what={PARTS_TEXT.arguments}
              whole={wholeOf(piece)}
              isShort={!isOpen}
            />
          )}
          {result?.clip != null && (
            <>
              <p className="ins-tx__label">{TRANSCRIPT_TEXT.result}</p>
              <ClipView
                clip={result.clip}
                what={PARTS_TEXT.result}
                whole={wholeOf(result)}
                isShort={!isOpen}
              />
            </>
          )}
        </div>
      );
    case 'tool_result':
      return clip === null ? null : (
        <>
          <p className="ins-tx__label">{TRANSCRIPT_TEXT.toolResult}</p>
          <ClipView clip={clip} what={PARTS_TEXT.result} whole={wholeOf(piece)} isShort={!isOpen} />
        </>
      );
    case 'blob':
      return <Media piece={piece} />;
    case 'link':
      return (
        <p className="ins-tx__link">
          {piece.modality ?? TRANSCRIPT_TEXT.link} {piece.mime_type}{' '}
          <code>
            <VisibleText text={piece.uri ?? ''} />
          </code>
          <CopyButton text={piece.uri ?? ''} what={PARTS_TEXT.address} />
        </p>
      );
    case 'other':
      return clip === null ? null : (
        <>
          <p className="ins-tx__label">{piece.name}</p>
          <ClipView clip={clip} what={piece.name ?? TRANSCRIPT_TEXT.part} whole={wholeOf(piece)} />
        </>
      );
  }
}

function Media({ piece }: { readonly piece: Piece }) {
  const { modality = null, mime_type = null, data = null, size_bytes = null } = piece;
  const blob: BlobPart = { type: 'blob', modality, mime_type, data, size_bytes };
  if (data !== null || size_bytes === null) return <BlobView blob={blob} />;
  return (
    <p className="ins-none">
      {modality ?? TRANSCRIPT_TEXT.data} {mime_type}, {formatBytes(size_bytes)}:{' '}
      {TRANSCRIPT_TEXT.inSpan}
    </p>
  );
}

function wholeOf({ at: [message, part] }: Piece) {
  return ({ view }: SpanDetail): string | undefined => {
    const found = view.messages[message]?.parts[part];
    switch (found?.type) {
      case 'text':
      case 'reasoning':
        return found.text;
      case 'tool_call':
        return found.arguments?.text;
      case 'tool_result':
        return found.result?.text;
      case 'other':
        return found.value.text;
      default:
        return undefined;
    }
  };
}

interface FoldProps {
  readonly label: string;
  /** Whether the reader unfolded all of the entry. */
  readonly isOpen: boolean;
  readonly children: ReactNode;
}

function Fold({ label, isOpen, children }: FoldProps) {
  const [byHand, setByHand] = useState<boolean | undefined>(undefined);
  const shown = byHand ?? isOpen;
  return (
    <div className="ins-tx__folded">
      <button
        type="button"
        className="ins-tx__fold"
        tabIndex={-1}
        aria-expanded={shown}
        onClick={() => setByHand(!shown)}
      >
        <ActionIcon name="caret" />
        {label}
      </button>
      {shown && <div className="ins-tx__unfolded">{children}</div>}
    </div>
  );
}
