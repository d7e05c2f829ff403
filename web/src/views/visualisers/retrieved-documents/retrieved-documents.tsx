/**
 * The documents that a retrieval found, by rank, with their scores.
 *
 * COPY ME: this folder is the example of a visualiser for spans.
 *
 *  1. `documents.ts`: pure functions that read what is to be shown from the span's attributes, and
 *     the predicate that says whether there is anything. They are what is tested.
 *  2. This file: the component. It gets the whole span as `span` and renders elements.
 *  3. A line in `../registry.ts`: id, name, predicate, and `lazy` for this file.
 *
 * What is in a span was written by others. Render it as text (React does), never as HTML or as a
 * link that leads away; expect every field to be missing, huge, or of another type. If this throws
 * all the same, the panel says so and everything else goes on.
 */
import { SPAN_TEXT } from '../../../texts.ts';
import { ClampedText } from '../../parts/values/clamped-text.tsx';
import type { SpanShownProps } from '../visualiser.ts';
import { documentsOf } from './documents.ts';
import './retrieved-documents.css';

export function RetrievedDocuments({ span }: SpanShownProps) {
  const documents = documentsOf(span);
  const most = Math.max(0, ...documents.map(({ score }) => score ?? 0));
  if (documents.length === 0) return <p className="ins-none">{SPAN_TEXT.noDocuments}</p>;
  return (
    <ol className="ins-documents" aria-label={SPAN_TEXT.retrievedDocuments}>
      {documents.map(({ id, content, score }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a document is its rank
        <li key={at}>
          <header>
            <span className="ins-documents__rank">{at + 1}</span>
            <code>{id ?? SPAN_TEXT.noId}</code>
            {score !== undefined && (
              <span className="ins-documents__score">
                <span aria-hidden="true">
                  <span style={{ width: `${most > 0 ? Math.max(0, (score / most) * 100) : 0}%` }} />
                </span>
                {score.toPrecision(3)}
              </span>
            )}
          </header>
          {content === undefined ? (
            <p className="ins-none">{SPAN_TEXT.notCaptured}</p>
          ) : (
            <ClampedText text={content} />
          )}
        </li>
      ))}
    </ol>
  );
}
