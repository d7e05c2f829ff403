/** The service's whole answer about the span. */
import { formatBytes } from '../../model/text/format.ts';
import { useShownSpan } from '../parts/values/shown-span.ts';
import { ValueView } from '../parts/values/value-view.tsx';
import { CopyAs } from './copy-as.tsx';

export function RawSpan({ text }: { readonly text: string }) {
  const cuts = useShownSpan()?.cuts.size ?? 0;
  return (
    <section className="ins-section">
      <h3>
        {formatBytes(new TextEncoder().encode(text).length)}
        <CopyAs />
      </h3>
      {cuts > 0 && (
        <p className="ins-none">
          Of {cuts === 1 ? 'one long value' : `${cuts} long values`} only the beginning is here:
          they are named under <code>clamped</code>. A copy as JSON has all of it.
        </p>
      )}
      <div className="ins-payload">
        <ValueView text={text} form="json" what="the span" />
      </div>
    </section>
  );
}
