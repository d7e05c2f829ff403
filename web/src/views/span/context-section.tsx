/** The context of an LLM call as a bar: its parts, what is cached, repeated and dropped. */
import { type CSSProperties, useMemo, useState } from 'react';
import type { ContextPart, SpanContext, SpanDetail } from '../../api/types.ts';
import {
  cachedShare,
  messagesOf,
  type PartName,
  sumOf,
  tokensOf,
  toolsOf,
} from '../../model/context/context-parts.ts';
import { formatShare, groupThousands } from '../../model/text/format.ts';
import { CONTEXT_TEXT } from '../../texts.ts';
import { VisibleText } from '../parts/visible-text.tsx';
import { Conversation } from './conversation.tsx';
import { Fold } from './fold.tsx';
import { OfferedTools } from './tools-offered.tsx';
import '../parts/context-parts.css';
import './context-section.css';

/** Number of messages of a part at first, and of each further step. */
const MORE = 20;

interface ContextSectionProps {
  readonly detail: SpanDetail;
  readonly onSelect: (key: string) => void;
}

export function ContextSection({ detail, onSelect }: ContextSectionProps) {
  const context = detail.context ?? null;
  const [open, setOpen] = useState<PartName>();
  if (context === null) return null;
  const cached = cachedShare(context);
  const repeated = sumOf(context, 'repeated_chars');
  const toggle = (part: PartName) => setOpen((before) => (before === part ? undefined : part));
  return (
    <section className="ins-section" aria-label={CONTEXT_TEXT.title}>
      <h3 title={CONTEXT_TEXT.estimated}>
        {CONTEXT_TEXT.title}
        <span className="ins-context__facts">
          {[
            amountOf(context, context.chars),
            cached === undefined ? undefined : CONTEXT_TEXT.cached(formatShare(cached)),
            repeated === 0 ? undefined : CONTEXT_TEXT.repeated(amountOf(context, repeated)),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </h3>
      <div className="ins-context__bar" aria-hidden="true">
        {context.parts
          .filter(({ chars }) => chars > 0)
          .map((part) => (
            <button
              key={part.part}
              type="button"
              // The list below has the same by keyboard.
              tabIndex={-1}
              className={`ins-part-of ins-part-of--${part.part}`}
              style={{ flexGrow: part.chars }}
              title={titleOf(context, part)}
              data-open={open === part.part || undefined}
              onClick={() => toggle(part.part)}
            />
          ))}
      </div>
      {cached !== undefined && (
        <div
          className="ins-context__cached"
          style={{ '--cached': `${cached * 100}%` } as CSSProperties}
          title={`${CONTEXT_TEXT.cached(formatShare(cached))}. ${CONTEXT_TEXT.cachedTitle}`}
        />
      )}
      <ul className="ins-context__parts">
        {context.parts.map((part) => (
          <li key={part.part} className={`ins-part-of ins-part-of--${part.part}`}>
            <PartLine
              context={context}
              part={part}
              isOpen={open === part.part}
              onToggle={() => toggle(part.part)}
            />
            {open === part.part && (
              <div className="ins-context__texts">
                {part.part === 'tools' ? (
                  <OfferedTools
                    tools={toolsOf(detail)}
                    messages={detail.view.messages}
                    before={detail.tools_before}
                  />
                ) : (
                  <Texts detail={detail} context={context} name={part.part} />
                )}
              </div>
            )}
          </li>
        ))}
      </ul>
      {context.media > 0 && <p className="ins-none">{CONTEXT_TEXT.media(context.media)}</p>}
      <Dropped context={context} onSelect={onSelect} />
    </section>
  );
}

function amountOf(context: SpanContext, chars: number): string {
  const tokens = tokensOf(context, chars);
  return tokens === undefined
    ? CONTEXT_TEXT.characters(groupThousands(chars))
    : CONTEXT_TEXT.tokens(groupThousands(tokens));
}

function titleOf(context: SpanContext, { part, chars }: ContextPart): string {
  return `${CONTEXT_TEXT.parts[part]}: ${amountOf(context, chars)}. ${CONTEXT_TEXT.about[part]}`;
}

interface PartLineProps {
  readonly context: SpanContext;
  readonly part: ContextPart;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function PartLine({ context, part, isOpen, onToggle }: PartLineProps) {
  const { chars, tokens, repeated_chars, dropped_chars } = part;
  return (
    <button
      type="button"
      className="ins-context__part"
      aria-expanded={isOpen}
      title={CONTEXT_TEXT.about[part.part]}
      disabled={chars === 0}
      onClick={onToggle}
    >
      <span className="ins-part-of__key" />
      <span className="ins-context__name">
        {CONTEXT_TEXT.parts[part.part]}
        {repeated_chars > 0 && (
          <span className="ins-context__mark" title={CONTEXT_TEXT.repeatedTitle}>
            {CONTEXT_TEXT.repeated(amountOf(context, repeated_chars))}
          </span>
        )}
        {dropped_chars > 0 && (
          <span className="ins-context__mark" title={CONTEXT_TEXT.droppedTitle}>
            {CONTEXT_TEXT.dropped(amountOf(context, dropped_chars))}
          </span>
        )}
      </span>
      {chars > 0 && (
        <>
          <span>
            {tokens === null
              ? CONTEXT_TEXT.characters(groupThousands(chars))
              : CONTEXT_TEXT.tokens(groupThousands(tokens))}
          </span>
          <span>{formatShare(chars / context.chars)}</span>
        </>
      )}
    </button>
  );
}

interface TextsProps {
  readonly detail: SpanDetail;
  readonly context: SpanContext;
  readonly name: PartName;
}

/** The messages of a part, as they were sent. */
function Texts({ detail, context, name }: TextsProps) {
  const [shown, setShown] = useState(MORE);
  const messages = useMemo(() => messagesOf(detail, context, name), [detail, context, name]);
  const left = messages.length - shown;
  return (
    <>
      {messages.slice(0, shown).map(({ message, place, chars, repeats }) => (
        <div key={place}>
          <h4>
            <span>{CONTEXT_TEXT.message(place)}</span>
            <span>{amountOf(context, chars)}</span>
            {repeats !== undefined && (
              <span className="ins-context__mark" title={CONTEXT_TEXT.repeatedTitle}>
                {CONTEXT_TEXT.repeats(repeats)}
              </span>
            )}
          </h4>
          <Conversation messages={[message]} />
        </div>
      ))}
      {left > 0 && (
        <button type="button" className="ins-link" onClick={() => setShown(shown + 10 * MORE)}>
          {CONTEXT_TEXT.more(left)}
        </button>
      )}
    </>
  );
}

interface DroppedProps {
  readonly context: SpanContext;
  readonly onSelect: (key: string) => void;
}

function Dropped({ context, onSelect }: DroppedProps) {
  const { dropped, before } = context;
  if (dropped.length === 0) return null;
  return (
    <Fold label={CONTEXT_TEXT.droppedSince(amountOf(context, sumOf(context, 'dropped_chars')))}>
      {before !== null && (
        <button type="button" className="ins-link" onClick={() => onSelect(before)}>
          {CONTEXT_TEXT.before}
        </button>
      )}
      <ul className="ins-context__dropped">
        {dropped.map(({ part, chars, beginning }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: texts have no identity but their place
          <li key={at} className={`ins-part-of ins-part-of--${part}`}>
            <header>
              <span className="ins-part-of__key" />
              {CONTEXT_TEXT.parts[part]}
              <span>{amountOf(context, chars)}</span>
            </header>
            <p className="ins-text">
              <VisibleText text={beginning.length < chars ? `${beginning} …` : beginning} />
            </p>
          </li>
        ))}
      </ul>
    </Fold>
  );
}
