/** The span to take elsewhere: as JSON, or as what reads it from the service. */
import { useCallback, useMemo } from 'react';
import { curlOf, pythonOf, type SpanAddress } from '../../model/trace/snippets.ts';
import { useInspector } from '../parts/context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { useShownSpan } from '../parts/values/shown-span.ts';

export interface SpanCopies {
  /** The whole answer about the span, with all its values. */
  readonly json: () => Promise<string>;
  readonly curl: () => string;
  readonly python: () => string;
}

export function useSpanCopies(traceId: string, spanId: string): SpanCopies {
  const { api, serviceUrl } = useInspector();
  return useMemo(() => {
    const address: SpanAddress = { serviceUrl, traceId, spanId };
    return {
      json: () => api.spanText(traceId, spanId),
      curl: () => curlOf(address),
      python: () => pythonOf(address),
    };
  }, [api, serviceUrl, traceId, spanId]);
}

export function CopyAs() {
  const id = useShownSpan()?.id;
  const copies = useSpanCopies(id?.trace_id ?? '', id?.span_id ?? '');
  const json = useCallback(() => copies.json(), [copies]);
  if (id === undefined) return null;
  return (
    <span className="ins-copy-as" role="group" aria-label="Copy the span">
      <CopyButton text={json} what="the span as JSON" label="JSON" />
      <CopyButton text={copies.curl} what="a curl command that reads the span" label="curl" />
      <CopyButton text={copies.python} what="Python that reads the span" label="Python" />
    </span>
  );
}
