import { indexJson } from '../../src/model/json/json-text.ts';
import { JsonTree } from '../../src/views/parts/values/json-tree.tsx';
import { LazyMarkdown } from '../../src/views/parts/values/lazy-markdown.tsx';
import { RequestFacts } from '../../src/views/span/request-facts.tsx';
import { SpanPanel } from '../../src/views/span/span-panel.tsx';
import { After, pressed } from '../after.tsx';
import type { GalleryCase } from '../case.ts';
import { EXACT_JSON, MARKDOWN, spans } from '../fixtures.ts';
import { failure, silence } from '../service.ts';
import { Stage, type StageProps } from '../stage.tsx';
import { useTrace } from '../use-trace.ts';

function Panel({ span }: { readonly span: string }) {
  const trace = useTrace('waiting');
  return <SpanPanel trace={trace} selected={`${spans[0]?.trace_id}.${span}`} onClose={() => {}} />;
}

function Recorded({ session, span }: { readonly session: string; readonly span: string }) {
  const trace = useTrace(session);
  return <SpanPanel trace={trace} selected={span} onClose={() => {}} />;
}

/** A tab of the panel, with a span as the service returned it. */
function tab(
  name: string,
  session: string,
  trace: number,
  span: number,
  more: TabMore,
): GalleryCase {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  const { height = 560, deed, tab: shown = name, ...stage } = more;
  const panel = <Recorded session={session} span={`${hex(trace, 32)}.${hex(span, 16)}`} />;
  return {
    name: `span, ${name}`,
    height,
    Shown: () => (
      <Stage at={`sessions/${session}?tab=${shown}`} {...stage}>
        {deed === undefined ? panel : <After deed={deed}>{panel}</After>}
      </Stage>
    ),
  };
}

interface TabMore extends StageProps {
  readonly height?: number;
  readonly tab?: string;
  readonly deed?: (frame: HTMLElement) => Promise<void>;
}

const RICH = ['rich', 7] as const;
const STATES = ['states', 0x21] as const;
const LINKS = ['links', 0x22] as const;
const STATE = { tab: 'state', height: 480 };
const isSpan = (path: string) => path.startsWith('/spans/');

function Json() {
  const index = indexJson(EXACT_JSON);
  return index && <JsonTree index={index} root={0} what="the example" />;
}

export const cases: readonly GalleryCase[] = [
  ...['kind-llm', 'error', 'waiting'].map((span) => ({
    name: `span panel, ${span}`,
    height: 560,
    Shown: () => <Panel span={span} />,
  })),
  tab('overview', ...RICH, 2, { height: 720 }),
  tab('overview, tools of its context', ...RICH, 2, {
    tab: 'overview',
    height: 900,
    deed: pressed('.ins-part-of--tools .ins-context__part', 'search'),
  }),
  tab('overview, error', ...RICH, 3, { tab: 'overview' }),
  tab('messages', ...RICH, 2, { height: 900 }),
  tab('overview, agent', ...RICH, 1, { tab: 'overview' }),
  tab('events', ...RICH, 3, {}),
  tab('attributes', ...RICH, 3, {}),
  tab('raw', ...RICH, 3, { height: 320 }),
  tab('loading', ...RICH, 3, {
    height: 240,
    answers: (path, query) => (isSpan(path) ? silence(path, query) : undefined),
  }),
  tab('failed', ...RICH, 3, {
    height: 240,
    answers: (path, query) => (isSpan(path) ? failure(path, query) : undefined),
  }),
  tab('not in the session', ...RICH, 99, { height: 120 }),
  tab('without a state', ...RICH, 2, { tab: 'state', height: 240 }),
  tab('state, the first', ...STATES, 2, STATE),
  tab('state, what changed', ...STATES, 3, { ...STATE, height: 760 }),
  tab('state, nothing changed', ...STATES, 4, STATE),
  tab('state, two of them', ...STATES, 5, STATE),
  tab('state, very large', ...STATES, 6, { ...STATE, height: 760 }),
  tab('state, a link is missing', ...STATES, 7, STATE),
  tab('state, loading', ...STATES, 3, {
    ...STATE,
    answers: (path, query) => (path.endsWith('/state') ? silence(path, query) : undefined),
  }),
  tab('state, failed', ...STATES, 3, {
    ...STATE,
    answers: (path, query) => (path.endsWith('/state') ? failure(path, query) : undefined),
  }),
  tab('links', ...LINKS, 3, {}),
  tab('links, to nothing known', ...LINKS, 3, {
    tab: 'links',
    deed: async (frame) => {
      await pressed('.ins-links li:last-child button', 'in another session')(frame);
    },
  }),
  {
    name: 'span, request',
    isPadded: true,
    Shown: () => (
      <RequestFacts
        request={{
          'http.request.method': 'GET',
          'url.full': 'http://orders.internal:8080/items?sku=7',
          'http.response.status_code': 200,
          'http.response.body.size': 5120,
          'db.system.name': 'postgresql',
          'db.namespace': 'shop',
          'db.query.text': 'SELECT *\nFROM items\nWHERE sku = $1',
          'server.address': 'orders.internal',
          'server.port': 8080,
        }}
      />
    ),
  },
  { name: 'markdown', isPadded: true, Shown: () => <LazyMarkdown text={MARKDOWN} /> },
  { name: 'json', isPadded: true, Shown: Json },
];
