/** Diff of an edit: lines before and after, with the changed part marked. */
import { useLayoutEffect, useMemo, useState } from 'react';
import { type CodeToken, jsonLineTokens } from '../../../model/text/code-tokens.ts';
import type { ChangedLine, TextDiff } from '../../../model/text/text-diff.ts';
import { CodePieces } from '../values/code-text.tsx';
import './argument-diff.css';
import { REQUEST_TEXT } from '../../../texts.ts';

/** Limit of shown lines; the rest is counted. */
const MAX_LINES = 300;
/** Limit of characters of an unchanged stretch of a line, and of a changed one. */
const AROUND = 80;
const MAX_CHANGED = 4000;

export function ArgumentDiff({ diff }: { readonly diff: TextDiff }) {
  const hunks = cutHunks(diff);
  const [box, setBox] = useState<HTMLElement | null>(null);
  const [isCut, setCut] = useState(false);
  // Without it the keyboard cannot scroll it.
  useLayoutEffect(() => setCut(box !== null && box.scrollHeight > box.clientHeight));
  const all = diff.hunks.reduce((count, hunk) => count + hunk.lines.length, 0);
  const shown = hunks.reduce((count, lines) => count + lines.length, 0);
  return (
    <section
      ref={setBox}
      className="ins-diff"
      aria-label={REQUEST_TEXT.changes}
      tabIndex={isCut ? 0 : undefined}
    >
      {hunks.map((lines, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no identity but their place
        <div key={at} className="ins-diff__hunk" dir="ltr">
          {lines.map((line) => (
            <Line key={`${line.kind}${line.number}`} line={line} />
          ))}
        </div>
      ))}
      {shown < all && <p className="ins-diff__more">{REQUEST_TEXT.moreLines(all - shown)}</p>}
    </section>
  );
}

function cutHunks({ hunks }: TextDiff): (readonly ChangedLine[])[] {
  const cut: (readonly ChangedLine[])[] = [];
  let left = MAX_LINES;
  for (const { lines } of hunks) {
    if (left <= 0) break;
    cut.push(lines.slice(0, left));
    left -= lines.length;
  }
  return cut;
}

const SIGNS = { same: ' ', removed: '−', added: '+' } as const;
const NAMES = { same: '', removed: 'before: ', added: 'after: ' } as const;

function Line({ line }: { readonly line: ChangedLine }) {
  const { kind, number, text, from, to } = line;
  const tokens = useMemo(() => jsonLineTokens(text), [text]);
  return (
    <div className={`ins-diff__line ins-diff__line--${kind}`}>
      <span className="ins-diff__number" aria-hidden="true">
        {number} {SIGNS[kind]}
      </span>
      <code>
        {kind !== 'same' && <span className="ins-hidden">{NAMES[kind]}</span>}
        {kind === 'same' ? (
          <Stretch line={text} tokens={tokens} from={0} to={text.length} isEnd={false} />
        ) : (
          <>
            <Stretch line={text} tokens={tokens} from={0} to={from} isEnd />
            <mark>
              <Stretch
                line={text}
                tokens={tokens}
                from={from}
                to={to}
                isEnd={false}
                most={MAX_CHANGED}
              />
            </mark>
            <Stretch line={text} tokens={tokens} from={to} to={text.length} isEnd={false} />
          </>
        )}
      </code>
    </div>
  );
}

interface StretchProps {
  readonly line: string;
  readonly tokens: readonly CodeToken[];
  readonly from: number;
  readonly to: number;
  /** Whether its end is next to the change, and is shown. */
  readonly isEnd: boolean;
  readonly most?: number;
}

/** A part of a line; a long one is shortened and the omitted characters are counted. */
function Stretch({ line, tokens, from, to, isEnd, most = AROUND }: StretchProps) {
  const part = { text: line, tokens };
  const length = to - from;
  if (length <= most * 1.5) return <CodePieces {...part} from={from} to={to} />;
  const cut = <span className="ins-diff__cut">{REQUEST_TEXT.omitted(length - most)}</span>;
  return isEnd ? (
    <>
      {cut}
      <CodePieces {...part} from={to - most} to={to} />
    </>
  ) : (
    <>
      <CodePieces {...part} from={from} to={from + most} />
      {cut}
    </>
  );
}
