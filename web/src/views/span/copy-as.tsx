/** Menu to copy the span: as JSON, or as code that reads it from the service. */
import { useCallback, useMemo } from 'react';
import type { SpanId } from '../../api/client.ts';
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

export function useSpanCopies(span: SpanId | undefined): SpanCopies {
  const { api, serviceUrl } = useInspector();
  const { session_id, trace_id = '', span_id = '' } = span ?? {};
  return useMemo(() => {
    const id = { session_id, trace_id, span_id };
    const address: SpanAddress = { serviceUrl, ...id };
    return {
      json: () => api.spanText(id),
      curl: () => curlOf(address),
      python: () => pythonOf(address),
    };
  }, [api, serviceUrl, session_id, trace_id, span_id]);
}

export function CopyAs() {
  const id = useShownSpan()?.id;
  const copies = useSpanCopies(id);
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

export interface SpanAddress extends SpanId {
  /** URL with a trailing slash. */
  readonly serviceUrl: string;
}

function spanUrl({ serviceUrl, session_id, trace_id, span_id }: SpanAddress): string {
  const url = `${serviceUrl}spans/${encodeURIComponent(trace_id)}/${encodeURIComponent(span_id)}`;
  return session_id === undefined ? url : `${url}?session_id=${encodeURIComponent(session_id)}`;
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
