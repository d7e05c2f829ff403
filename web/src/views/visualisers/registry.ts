/** Every visualiser there is, in the order of their tabs. Matching is here, the rest is lazy. */
import { lazy } from 'react';
import { hasDocuments } from './retrieved-documents/documents.ts';
import type { SessionVisualiser, SpanVisualiser } from './visualiser.ts';

export const SESSION_VISUALISERS: readonly SessionVisualiser[] = [
  {
    id: 'graph',
    name: 'Graph',
    matches: ({ kind }) => kind === 'agent',
    nothing:
      'No agent is told of in this session. Agents are spans with gen_ai.operation.name = invoke_agent, or what other conventions have for it.',
    Shown: lazy(async () => ({ default: (await import('../graph/graph-view.tsx')).GraphView })),
  },
];

export const SPAN_VISUALISERS: readonly SpanVisualiser[] = [
  {
    id: 'documents',
    name: 'Documents',
    matches: hasDocuments,
    Shown: lazy(async () => ({
      default: (await import('./retrieved-documents/retrieved-documents.tsx')).RetrievedDocuments,
    })),
  },
];
