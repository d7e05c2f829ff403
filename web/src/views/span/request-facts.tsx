/** Request of HTTP, a database or messaging: its facts, and the text of a query. */
import type { SpanDetail } from '../../api/types.ts';
import { formatBytes } from '../../model/text/format.ts';
import { PROTOCOL_TEXT, SPAN_TEXT } from '../../texts.ts';
import { LongValue } from '../parts/values/long-value.tsx';
import { useShownSpan } from '../parts/values/shown-span.ts';
import { ValueView } from '../parts/values/value-view.tsx';
import { type Fact, Facts } from './facts.tsx';

type Request = SpanDetail['view']['request'];

const SUBJECTS = [PROTOCOL_TEXT.http, PROTOCOL_TEXT.database, PROTOCOL_TEXT.messaging];
/** Facts that the whole URL holds. */
const IN_URL: ReadonlySet<string> = new Set(['url.path', 'url.query']);
const QUERY = 'db.query.text';

export function RequestFacts({ request }: { readonly request: Request }) {
  const shown = SUBJECTS.map(({ title, ...names }) => ({ title, facts: factsOf(request, names) }));
  const known = shown.filter(({ facts }) => facts.length > 0);
  return known.map(({ title, facts }, at) => (
    <section key={title} className="ins-section">
      <Facts title={title} facts={at === known.length - 1 ? [...facts, ...ends(request)] : facts} />
      {title === PROTOCOL_TEXT.database.title && <Query request={request} />}
    </section>
  ));
}

function factsOf(request: Request, names: Readonly<Record<string, string>>): Fact[] {
  return Object.entries(names)
    .filter(([name]) => request[name] !== undefined && name !== QUERY)
    .filter(([name]) => !IN_URL.has(name) || request['url.full'] === undefined)
    .map(([name, label]) => [label, textOf(name, request[name])] as const);
}

function textOf(name: string, value: unknown): string {
  return name.endsWith('.size') && typeof value === 'number' && !name.includes('batch')
    ? formatBytes(value)
    : String(value);
}

/** Both ends of the request. */
function ends(request: Request): Fact[] {
  const { 'server.address': address, 'server.port': port, 'client.address': client } = request;
  // Some senders write the port into the address, too.
  const hasPort = port === undefined || String(address).endsWith(`:${port}`);
  const server = hasPort ? address : [address, port].filter(Boolean).join(':');
  return [
    [PROTOCOL_TEXT.server, server === undefined ? null : String(server)],
    [PROTOCOL_TEXT.client, client === undefined ? null : String(client)],
  ];
}

function Query({ request }: { readonly request: Request }) {
  const cut = useShownSpan()?.cuts.at(`/view/request/${QUERY}`);
  const text = request[QUERY];
  if (typeof text !== 'string') return null;
  const what = SPAN_TEXT.theQuery;
  return (
    <div className="ins-payload">
      {cut === undefined ? (
        <ValueView text={text} form="text" what={what} />
      ) : (
        <LongValue key={cut.size_bytes} cut={cut} beginning={text} what={what}>
          {(whole) => <ValueView text={whole} form="text" what={what} />}
        </LongValue>
      )}
    </div>
  );
}
