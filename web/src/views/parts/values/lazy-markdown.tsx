/** Markdown whose code is loaded with the first such text; until then, the plain text. */
import { lazy, Suspense } from 'react';
import { VisibleText } from '../visible-text.tsx';
import './clamped-text.css';

const Markdown = lazy(() => import('./markdown.tsx'));

export function LazyMarkdown({ text }: { readonly text: string }) {
  const plain = (
    <div className="ins-text">
      <VisibleText text={text} />
    </div>
  );
  return (
    <Suspense fallback={plain}>
      <Markdown text={text} plain={plain} />
    </Suspense>
  );
}
