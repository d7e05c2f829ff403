/** Markdown whose code is loaded with the first such text; until then, and without it, the plain text. */
import { Guarded } from '../guarded.tsx';
import { lazyPart } from '../lazy-part.ts';
import { VisibleText } from '../visible-text.tsx';
import './clamped-text.css';
import { VALUE_TEXT } from '../../../texts.ts';

const Markdown = lazyPart(async () => (await import('./markdown.tsx')).default);

export function LazyMarkdown({ text }: { readonly text: string }) {
  const plain = (
    <div className="ins-text">
      <VisibleText text={text} />
    </div>
  );
  return (
    <Guarded name={VALUE_TEXT.markdown} loading={plain} missing={plain}>
      <Markdown text={text} plain={plain} />
    </Guarded>
  );
}
