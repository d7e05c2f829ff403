/** Markdown as elements; its reader is loaded with the first text of this kind. */
import { lazy, Suspense } from 'react';
import { VisibleText } from '../visible-text.tsx';

const MarkdownBlocks = lazy(() => import('./markdown-blocks.tsx'));

export function Markdown({ text }: { readonly text: string }) {
  const plain = (
    <div className="ins-text">
      <VisibleText text={text} />
    </div>
  );
  return (
    <Suspense fallback={plain}>
      <MarkdownBlocks text={text} plain={plain} />
    </Suspense>
  );
}
