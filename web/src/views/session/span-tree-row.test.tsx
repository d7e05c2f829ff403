// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { exampleSpan } from '../../model/examples.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { exampleInspector } from '../../state/examples.ts';
import { Trace } from '../../state/trace.ts';
import { type Page, PageContext } from '../parts/context.ts';
import { SpanTreeRow } from './span-tree-row.tsx';

afterEach(cleanup);

test('the name of a row has what is seen of it, in that order', () => {
  const inspector = exampleInspector({});
  const trace = new Trace('s', inspector.api);
  const span = exampleSpan({ name: 'POST /charge', service: 'payments', kind: 'http' });
  trace.apply([{ type: 'SpanUpdated', time: '', session_id: 's', span }]);
  render(
    <PageContext value={{ inspector } as Page}>
      <SpanTreeRow
        spanKey={spanKey(span)}
        trace={trace}
        top_px={0}
        depth={0}
        hasChildren={false}
        isFolded={false}
        hasErrorBelow={false}
        position={1}
        siblings={1}
        isSelected={false}
        isCursor={true}
        isWaiting={false}
        services={['shop', 'payments']}
        find=""
        onPick={() => {}}
        onFold={() => {}}
      />
    </PageContext>,
  );
  const row = screen.getByRole('treeitem');
  const seen = row.textContent?.replace(/\s+/g, '').toLowerCase();
  expect(row.getAttribute('aria-label')).toContain('payments POST /charge');
  expect(row.getAttribute('aria-label')?.replace(/\s+/g, '').toLowerCase()).toContain(seen);
});
