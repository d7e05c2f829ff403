// @vitest-environment jsdom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { McpCall } from '../../model/mcp/mcp-calls.ts';
import { exampleInspector } from '../../state/examples.ts';
import { Trace } from '../../state/trace.ts';
import { type Page, PageContext } from '../parts/context.ts';
import { McpRow } from './mcp-row.tsx';

afterEach(cleanup);

test('a call without an answer counts up to the instant that is shown', () => {
  const inspector = exampleInspector({});
  const trace = new Trace('s', inspector.api);
  trace.epoch_ns.set('0');
  trace.at_ns.set(9e9);
  const call = {
    key: 'c',
    kind: 'call',
    state: 'pending',
    method: 'tools/call',
    offset_ns: 4e9,
    rounds: [],
    notes: [],
  } as unknown as McpCall;
  const { container } = render(
    <PageContext value={{ inspector } as Page}>
      <McpRow
        call={call}
        depth={0}
        trace={trace}
        isOpen={false}
        isSelected={false}
        isWaiting={false}
        isCurrent={true}
        hasServer={false}
        onToggle={() => {}}
        onOpen={() => {}}
      />
    </PageContext>,
  );
  const took = () => container.querySelector('.ins-mcp-row__took')?.textContent;
  expect(took()).toMatch(/^5(\.0)? s/);
  act(() => {
    trace.at_ns.set(undefined);
    trace.freeze.set({ since_ms: Date.now() - 8000, behind: 0 });
    trace.epoch_ns.set(String(BigInt(Date.now() - 20_000) * 1_000_000n));
  });
  // The call began 4 s after the epoch; it was frozen 8 s ago, 12 s after the epoch.
  expect(took()).toMatch(/^8(\.0)? s/);
});
