/** Find in the transcript: in names and in loaded readings; matches are marked. */
import { useEffect, useMemo } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { wordsOf } from '../../model/transcript/transcript-text.ts';
import type { Trace } from '../../state/trace.ts';
import type { Read, ReadingStores } from '../../state/transcript.ts';
import { useVersion } from '../parts/context.ts';
import { matchesFind } from '../parts/find.ts';

/** Text of a reading in lower case, computed once. */
const words = new WeakMap<Read, string>();

function lowerWords(read: Read): string {
  const known = words.get(read);
  if (known !== undefined) return known;
  const made = wordsOf(read.reading).toLowerCase();
  words.set(read, made);
  return made;
}

/** Keys of the matching spans, by start. */
export function useFound(trace: Trace, readings: ReadingStores, find: string): readonly string[] {
  const rows = useVersion(trace.spans, find !== '');
  const reads = useVersion(readings.reads, find !== '');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the versions say when to look again
  return useMemo(() => {
    if (find === '') return [];
    const wanted = find.toLowerCase();
    const isFound = (row: SpanRow) => {
      if (row.duplicate_of !== null) return false;
      if (matchesFind(row, find)) return true;
      const read = readings.reads.get(spanKey(row));
      return read !== undefined && lowerWords(read).includes(wanted);
    };
    return [...trace.spans.values()]
      .filter(isFound)
      .sort((a, b) => a.offset_ns - b.offset_ns || (a.span_id < b.span_id ? -1 : 1))
      .map(spanKey);
  }, [trace, readings, find, rows, reads]);
}

const NAME = 'ins-find';

/** Highlight the matches where they are shown, without changing the document. */
export function useMarks(scroller: HTMLElement | null, find: string): void {
  useEffect(() => {
    if (scroller === null || find === '' || typeof Highlight === 'undefined') return;
    let frame = 0;
    const mark = () => {
      frame = 0;
      CSS.highlights.set(NAME, new Highlight(...rangesOf(scroller, find.toLowerCase())));
    };
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(mark);
    };
    const observer = new MutationObserver(later);
    observer.observe(scroller, { childList: true, subtree: true, characterData: true });
    later();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [scroller, find]);
}

const MAX_MARKS = 2000;

function rangesOf(root: HTMLElement, wanted: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? '';
    // Lower case may be longer: then the places are not those of the text.
    if (text.length !== node.nodeValue?.length) continue;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
      if (ranges.length === MAX_MARKS) return ranges;
    }
  }
  return ranges;
}
