/** Error of a span: type, message, and where it was raised. */
import { useMemo, useState } from 'react';
import type { ErrorView } from '../../../api/types.ts';
import { foldFrames } from '../../../model/text/stack-trace.ts';
import { CopyButton } from '../copy-button.tsx';
import { ClampedText } from './clamped-text.tsx';
import { LongValue } from './long-value.tsx';
import { useShownSpan } from './shown-span.ts';
import './error-block.css';
import { VALUE_TEXT } from '../../../texts.ts';

export function ErrorBlock({ error }: { readonly error: ErrorView }) {
  const { message, status_message } = error;
  const cut = useShownSpan()?.cuts.at('/view/error/stacktrace');
  const copied = [error.type, message, status_message, error.stacktrace];
  const title = error.type ?? VALUE_TEXT.error;
  // A status such as 503 is often the type, the code and the message as well.
  const texts = [...new Set([title, message, status_message])].slice(1);
  return (
    <section className="ins-error" role="group" aria-label={VALUE_TEXT.error}>
      <header>
        <strong>{title}</strong>
        {error.code !== null && ![title, ...texts].includes(error.code) && (
          <code>{error.code}</code>
        )}
        <CopyButton text={copied.filter(Boolean).join('\n')} what={VALUE_TEXT.theError} />
      </header>
      {message !== null && message !== '' && texts.includes(message) && (
        <ClampedText text={message} />
      )}
      {status_message !== null && status_message !== message && texts.includes(status_message) && (
        <div className="ins-error__status">
          <ClampedText text={status_message} />
        </div>
      )}
      {error.stacktrace !== null && (
        <details>
          <summary>{VALUE_TEXT.stackLines(countLines(error.stacktrace))}</summary>
          {cut === undefined ? (
            <StackTrace text={error.stacktrace} />
          ) : (
            <LongValue cut={cut} beginning={error.stacktrace} what={VALUE_TEXT.stackTrace}>
              {(text) => <StackTrace text={text} />}
            </LongValue>
          )}
        </details>
      )}
    </section>
  );
}

function countLines(text: string): number {
  return text.trimEnd().split('\n').length;
}

/** Files of libraries and of the language: the mistake is rarely there. */
const FOREIGN = /site-packages|dist-packages|node_modules|\/lib\/python\d|<frozen |node:internal/;

/** Stack trace of Python or JavaScript, with runs of library frames folded. */
function StackTrace({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const frames = useMemo(() => foldFrames(text, FOREIGN), [text]);
  const isFolded = frames.some((frame) => frame.isFolded);
  return (
    <>
      {isFolded && (
        <button type="button" className="ins-link" onClick={() => setWhole(!isWhole)}>
          {isWhole ? VALUE_TEXT.hideLibraryFrames : VALUE_TEXT.showAllFrames}
        </button>
      )}
      <div className="ins-error__trace">
        {isWhole || !isFolded ? (
          <ClampedText text={text} what={VALUE_TEXT.stackTrace} isData />
        ) : (
          frames.map((frame, at) =>
            frame.isFolded ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: frames have no identity but their place
              <p key={at} className="ins-error__folded">
                {VALUE_TEXT.libraryFrames(frame.count)}
              </p>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <ClampedText key={at} text={frame.text} what={VALUE_TEXT.stackTrace} isData />
            ),
          )
        )}
      </div>
    </>
  );
}
