/** Commands that read a span from the service. The token is a variable: it is never in the page. */

export interface SpanAddress {
  /** With a slash at its end. */
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
