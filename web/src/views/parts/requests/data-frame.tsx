/** Untrusted data in a frame that it cannot leave: monospaced, wrapped, left to right. */
import { useMemo, useState } from 'react';
import { groupThousands, plural } from '../../../model/text/format.ts';
import { beginningOf } from '../../../model/text/text-parts.ts';
import { CopyButton } from '../copy-button.tsx';
import { LongText, MAX_PLAIN } from '../values/long-text.tsx';
import { VisibleText } from '../visible-text.tsx';
import './data-frame.css';
import { PARTS_TEXT, showAll } from '../../../texts.ts';

interface DataFrameProps {
  readonly text: string;
  /** Name of the data: "the arguments". */
  readonly what: string;
  /** Whether the reader has opened all of it. */
  readonly isOpen?: boolean;
  /** Called when the reader opens all of it. */
  readonly onOpen?: () => void;
  /** Whether the key for the answer moves the focus here first: nothing can be granted before. */
  readonly isTarget?: boolean;
}

/** The beginning of a text; once opened, all of it, scrolling in the frame. */
export function DataFrame(props: DataFrameProps) {
  const { text, what, onOpen, isTarget = false } = props;
  const beginning = useMemo(() => beginningOf(text), [text]);
  const [opened, setOpened] = useState(props.isOpen === true ? text : undefined);
  // Another text in its place was not asked for.
  const isOpen = opened === text;
  const toggle = () => {
    if (!isOpen) onOpen?.();
    setOpened(isOpen ? undefined : text);
  };
  return (
    <div className="ins-data">
      {isOpen && text.length > MAX_PLAIN ? (
        <LongText text={text} what={what} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        <pre dir="ltr" className="ins-data__text" role="group" tabIndex={0} aria-label={what}>
          <VisibleText text={isOpen ? text : text.slice(0, beginning)} />
        </pre>
      )}
      <footer className="ins-data__foot">
        <span>{plural(text.length, 'character')}</span>
        {beginning < text.length && (
          <button
            type="button"
            className="ins-link"
            data-answer-target={isTarget || undefined}
            onClick={toggle}
          >
            {isOpen ? PARTS_TEXT.showLess : showAll(groupThousands(text.length))}
          </button>
        )}
        <CopyButton text={text} what={what} />
      </footer>
    </div>
  );
}
