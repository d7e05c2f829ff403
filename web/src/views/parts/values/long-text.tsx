/** A text of any length, unchanged: only the parts in view are in the document. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useState } from 'react';
import { partsOf } from '../../../model/text/text-parts.ts';
import { VisibleText } from '../visible-text.tsx';
import { useCopyAll } from './copy-all.ts';
import './long-text.css';
import { PARTS_TEXT } from '../../../texts.ts';

/** Limit of characters that are laid out at once without a delay. */
export const MAX_PLAIN = 12_000;
const PART = 4000;
const LINE_PX = 18;
const COLUMNS = 80;
/** Limit of lines on a page: a browser scrolls no further than some 33 million pixels. */
const MAX_LINES = 1_500_000;

interface LongTextProps {
  readonly text: string;
  /** Name of the text: "the arguments". */
  readonly what: string;
}

export function LongText({ text, what }: LongTextProps) {
  const pages = useMemo(
    () =>
      hasMoreLines(text, MAX_LINES) ? partsOf(text, MAX_LINES) : [{ from: 0, to: text.length }],
    [text],
  );
  const [at, setAt] = useState(0);
  if (text.length <= MAX_PLAIN) {
    return (
      <div className="ins-text ins-text--data" dir="ltr">
        <VisibleText text={text} />
      </div>
    );
  }
  const number = Math.min(at, pages.length - 1);
  const page = pages[number] ?? { from: 0, to: text.length };
  return (
    <>
      {pages.length > 1 && (
        <p className="ins-long__pages">
          <button
            type="button"
            className="ins-link"
            disabled={number === 0}
            onClick={() => setAt(number - 1)}
          >
            {PARTS_TEXT.back}
          </button>
          {PARTS_TEXT.page(number + 1, pages.length)}
          <button
            type="button"
            className="ins-link"
            disabled={number === pages.length - 1}
            onClick={() => setAt(number + 1)}
          >
            {PARTS_TEXT.next}
          </button>
        </p>
      )}
      <Page key={number} text={text} from={page.from} to={page.to} what={what} />
    </>
  );
}

function Page({ text, from, to, what }: LongTextProps & { from: number; to: number }) {
  const page = useMemo(() => text.slice(from, to), [text, from, to]);
  const parts = useMemo(() => partsOf(page, PART), [page]);
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const { isAll, onKeyDown } = useCopyAll(() => text);
  const virtualizer = useVirtualizer({
    count: parts.length,
    getScrollElement: () => scroller,
    estimateSize: (at) => heightOf(page.slice(parts[at]?.from, parts[at]?.to)),
    overscan: 2,
  });
  const items = virtualizer.getVirtualItems();
  return (
    <div
      ref={setScroller}
      className={`ins-long${isAll ? ' ins-long--all' : ''}`}
      role="group"
      aria-label={what}
      dir="ltr"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div className="ins-long__all" style={{ height: virtualizer.getTotalSize() }}>
        <div style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map((item) => {
            const part = parts[item.index];
            return (
              <div key={item.key} data-index={item.index} ref={virtualizer.measureElement}>
                <VisibleText text={page.slice(part?.from, part?.to)} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Estimated height; it is measured once it is drawn. */
function heightOf(part: string): number {
  let lines = 0;
  for (const line of part.split('\n')) lines += 1 + Math.floor(line.length / COLUMNS);
  return (part.endsWith('\n') ? lines - 1 : lines) * LINE_PX;
}

function hasMoreLines(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && count <= most; at = text.indexOf('\n', at + 1)) {
    count += 1;
  }
  return count > most;
}
