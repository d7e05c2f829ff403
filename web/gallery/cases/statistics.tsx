/** Cases of the graph and the visualisers in states that no recording has. */
import type { SpanDetail } from '../../src/api/types.ts';
import { exampleSpan, treeOf } from '../../src/model/examples.ts';
import { type AgentGraph, agentGraphOf } from '../../src/model/graph/agent-graph.ts';
import { atOnce } from '../../src/model/slices.ts';
import { GraphDrawing } from '../../src/views/graph/graph-drawing.tsx';
import { GraphTables } from '../../src/views/graph/graph-tables.tsx';
import { VisualisedSpan } from '../../src/views/visualisers/span-tabs.tsx';
import type { GalleryCase } from '../case.ts';
import '../../src/views/graph/graph-view.css';

const S = 1e9;

function graphOf(hasMore: boolean): AgentGraph {
  const agent = (name: string, at: number, values: Partial<Parameters<typeof exampleSpan>[0]>) =>
    exampleSpan({
      span_id: name,
      name: `invoke_agent ${name}`,
      subject: name,
      kind: 'agent',
      offset_ns: at * S,
      duration_ns: 4 * S,
      input_tokens: 900 * (at + 1),
      ...values,
    });
  const rows = [
    agent('triage', 0, {}),
    exampleSpan({
      span_id: 'h',
      parent_span_id: 'triage',
      name: 'handoff to billing',
      offset_ns: S,
    }),
    agent('billing', 5, { status: 'error' }),
    agent('an agent with a name that is far too long for its node', 6, {
      parent_span_id: 'billing',
      status: 'running',
      duration_ns: null,
    }),
    agent('refunds', 7, {
      parent_span_id: 'billing',
      status: 'running',
      duration_ns: null,
      waits: 1,
      waited: [[8 * S, null]],
    }),
    exampleSpan({
      span_id: 'back',
      parent_span_id: 'refunds',
      name: 'handoff to nobody',
      status: 'error',
      offset_ns: 9 * S,
    }),
    ...['look up', 'pay', 'say'].map((name, index) =>
      exampleSpan({ span_id: name, parent_span_id: 'billing', name, offset_ns: (9 + index) * S }),
    ),
  ];
  const options = { isSequence: false, hasModels: hasMore, hasTools: hasMore, most: 200 };
  return atOnce(
    agentGraphOf(treeOf(rows), { ...options, handOffs: new Map(), servers: new Map() }),
  );
}

function Drawing({ hasMore }: { readonly hasMore: boolean }) {
  return (
    <div className="ins-graph" style={{ height: '100%', gridTemplateRows: 'minmax(0, 1fr)' }}>
      <GraphDrawing graph={graphOf(hasMore)} selected={undefined} onSelect={() => {}} />
    </div>
  );
}

const retrieval = {
  ...exampleSpan({ kind: 'retrieval', name: 'retrieve policy' }),
  attributes: {
    'retrieval.documents.0.document.id': 'terms-7',
    'retrieval.documents.0.document.content': 'Refunds are possible within 30 days of delivery.',
    'retrieval.documents.0.document.score': 0.91,
    'retrieval.documents.1.document.content': 'Long. '.repeat(2000),
    'retrieval.documents.1.document.score': 0.32,
    'retrieval.documents.2.document.id': '<b>markup</b> and \u202ebidi',
  },
} as unknown as SpanDetail;

export const cases: readonly GalleryCase[] = [
  { name: 'graph', height: 420, Shown: () => <Drawing hasMore={false} /> },
  { name: 'graph, with tools', height: 480, Shown: () => <Drawing hasMore /> },
  {
    name: 'graph, tables',
    height: 520,
    Shown: () => <GraphTables graph={graphOf(true)} onSelect={() => {}} />,
  },
  {
    name: 'visualiser, documents',
    isPadded: true,
    Shown: () => <VisualisedSpan tab="show-documents" span={retrieval} />,
  },
  {
    name: 'visualiser, failed',
    isPadded: true,
    Shown: () => (
      <VisualisedSpan
        tab="show-broken"
        span={retrieval}
        all={[
          {
            id: 'broken',
            name: 'Broken',
            matches: () => true,
            Shown: () => {
              throw new Error('Cannot read properties of undefined (reading "length")');
            },
          },
        ]}
      />
    ),
  },
];
