/** All visualisers, in the order of their tabs. Matching is here, the rest is lazy. */
import { lazyPart } from '../parts/lazy-part.ts';
import { hasDocuments } from './retrieved-documents/documents.ts';
import type { SpanVisualiser } from './visualiser.ts';

export const SPAN_VISUALISERS: readonly SpanVisualiser[] = [
  {
    id: 'documents',
    name: 'Documents',
    matches: hasDocuments,
    Shown: lazyPart(
      async () =>
        (await import('./retrieved-documents/retrieved-documents.tsx')).RetrievedDocuments,
    ),
  },
];
