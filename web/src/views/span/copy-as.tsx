/** Menu to copy the span: as JSON, or as code that reads it from the service. */
import { useCallback, useMemo } from 'react';
import { SPAN_TEXT } from '../../texts.ts';
import { useInspector } from '../parts/context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { useShownSpan } from '../parts/values/shown-span.ts';

export interface SpanCopies {
  /** The whole response about the span, with all its values. */
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
  const isSaved = useInspector().saved !== undefined;
  if (id === undefined) return null;
  return (
    <span className="ins-copy-as" role="group" aria-label={SPAN_TEXT.copyTheSpan}>
      <CopyButton text={json} what={SPAN_TEXT.asJson} label="JSON" />
      {!isSaved && (
        <>
          <CopyButton text={copies.curl} what={SPAN_TEXT.asCurl} label="curl" />
          <CopyButton text={copies.python} what={SPAN_TEXT.asPython} label="Python" />
        </>
      )}
    </span>
  );
}

export interface SpanAddress {
  /** URL with a trailing slash. */
  readonly serviceUrl: string;
  readonly traceId: string;
  readonly spanId: string;
}

function spanUrl({ serviceUrl, traceId, spanId }: SpanAddress): string {
  return `${serviceUrl}spans/${encodeURIComponent(traceId)}/${encodeURIComponent(spanId)}`;
}

export function curlOf(address: SpanAddress): string {
  return `curl -fsS -H "Authorization: Bearer $INSPECTOR_TOKEN" ${shellQuoted(spanUrl(address))}`;
}

export function pythonOf(address: SpanAddress): string {
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(spanUrl(address))},
    headers={"Authorization": f"Bearer {os.environ['INSPECTOR_TOKEN']}"},
)
with urllib.request.urlopen(request) as answer:
    span = json.load(answer)
print(span["name"], span["status"])
`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
