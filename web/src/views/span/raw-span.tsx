/** The service's whole answer about the span. */
import { useMemo } from 'react';
import { formatBytes } from '../../model/format.ts';
import { indexJson } from '../../model/json-text.ts';
import { CopyButton } from '../copy-button.tsx';
import { ClampedText } from './clamped-text.tsx';
import { JsonTree } from './json-tree.tsx';

export function RawSpan({ text }: { readonly text: string }) {
  const index = useMemo(() => indexJson(text), [text]);
  return (
    <section className="ins-section">
      <h3>
        {formatBytes(new TextEncoder().encode(text).length)}
        <CopyButton text={text} what="all of it" label="Copy all" />
      </h3>
      {index === undefined ? (
        <ClampedText text={text} isData />
      ) : (
        <JsonTree index={index} root={0} what="the span" />
      )}
    </section>
  );
}
