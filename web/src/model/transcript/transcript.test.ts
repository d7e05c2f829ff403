import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SpanRow } from '../../api/types.ts';
import { exampleSpan, forestOf } from '../examples.ts';
import { spanKey } from '../trace/span-key.ts';
import { type LayoutOptions, layoutTranscript } from './transcript.ts';

const MS = 1e6;

type Drawn = Partial<SpanRow> & { readonly at?: number; readonly ms?: number };

/** A span by its number; spans begin 10 ms apart, by their number, and last a millisecond. */
function span(number: number, parent: number | null, kind: string, more: Drawn = {}): SpanRow {
  const { at = number * 10, ms = 1, ...rest } = more;
  return exampleSpan({
    span_id: id(number),
    parent_span_id: parent === null ? null : id(parent),
    kind: kind as SpanRow['kind'],
    name: kind,
    offset_ns: at * MS,
    duration_ns: ms * MS,
    ...rest,
  });
}

function id(number: number): string {
  return number.toString(16).padStart(16, '0');
}

function layout(spans: readonly SpanRow[], options?: LayoutOptions) {
  const rows = new Map(spans.map((one) => [spanKey(one), one]));
  return layoutTranscript(forestOf(spans), (key) => rows.get(key), options);
}

/** `type number`, set in by depth. */
function drawn(spans: readonly SpanRow[], options?: LayoutOptions): string[] {
  return layout(spans, options).entries.map(
    ({ type, key, depth, isFolded }) =>
      `${'  '.repeat(depth)}${type} ${Number.parseInt(key.slice(-16), 16)}${isFolded ? ' folded' : ''}`,
  );
}

const key = (number: number) => spanKey(span(number, null, 'llm'));

const TEAM = [
  span(1, null, 'agent', { ms: 900 }),
  span(2, 1, 'llm'),
  span(3, 1, 'tool', { name: 'execute_tool ask_a', at: 30, ms: 300 }),
  span(4, 3, 'agent', { name: 'a', at: 31, ms: 290 }),
  span(5, 4, 'llm'),
  span(6, 4, 'tool', { name: 'execute_tool read', status: 'error' }),
  span(7, 4, 'tool', { name: 'execute_tool read' }),
  span(8, 1, 'agent', { name: 'b', at: 80, ms: 300 }),
  span(9, 1, 'agent', { name: 'c', at: 500 }),
  span(10, 1, 'llm', { at: 600 }),
];

test('agents that an agent called are cards, folded, with the tool that called them', () => {
  expect(drawn(TEAM)).toEqual([
    'agent 1',
    'call 2',
    'agent 4 folded',
    'agent 8 folded',
    'agent 9 folded',
    'call 10',
    'end 1',
  ]);
  const { entries, entryOf } = layout(TEAM);
  expect(entries[2]).toMatchObject({ via: key(3), atOnce: 2, isCard: true });
  expect(entries[4]).toMatchObject({ atOnce: 1 });
  expect(entryOf.get(key(6))).toBe(2);
  expect(entryOf.get(key(3))).toBe(2);
});

test('an unfolded agent shows its own transcript, set in', () => {
  expect(drawn(TEAM, { byHand: new Map([[key(4), false]]) }).slice(2, 8)).toEqual([
    'agent 4',
    '  call 5',
    '  tool 6',
    '  tool 7',
    'end 4',
    'agent 8 folded',
  ]);
});

test('what is asked to be open is open, unless the reader folded it', () => {
  const open = new Set([key(4)]);
  expect(drawn(TEAM, { open })).toContain('  tool 6');
  expect(drawn(TEAM, { open, byHand: new Map([[key(4), true]]) })).not.toContain('  tool 6');
});

test('a card sums up what is inside', () => {
  expect(layout(TEAM).sums.get(key(4))).toMatchObject({
    turns: 1,
    tools: 2,
    errors: 1,
    cause: key(6),
  });
  expect(layout(TEAM).sums.get(key(1))).toMatchObject({
    turns: 2,
    turnsBelow: 1,
    tools: 3,
    errors: 1,
  });
});

test('wrappers, duplicates, transport and what sets the stage are left out', () => {
  const spans = [
    span(1, null, 'workflow'),
    span(2, 1, 'mcp', { name: 'initialize' }),
    span(3, 1, 'mcp', { name: 'tools/list' }),
    span(4, 1, 'step'),
    span(5, 4, 'llm'),
    span(6, 5, 'http', { name: 'HTTP POST' }),
    span(7, 5, 'llm', { duplicate_of: id(5) }),
    span(8, 4, 'tool'),
    span(9, 8, 'mcp', { name: 'tools/call read' }),
  ];
  expect(drawn(spans)).toEqual(['heading 4', 'call 5', 'tool 8']);
  expect(drawn(spans, { isWhole: true })).toHaveLength(9);
});

test('a failure of transport or of the handshake is shown where it was', () => {
  const spans = [
    span(1, null, 'workflow'),
    span(2, 1, 'mcp', { name: 'initialize', status: 'error' }),
    span(3, 1, 'llm'),
    span(4, 3, 'http', { name: 'HTTP POST', status: 'error' }),
  ];
  expect(drawn(spans)).toEqual(['line 2', 'call 3', 'line 4']);
});

test('a step with one thing in it is no entry, a step alone is', () => {
  expect(drawn([span(1, null, 'step'), span(2, 1, 'step'), span(3, 2, 'llm')])).toEqual(['call 3']);
  expect(drawn([span(1, null, 'step')])).toEqual(['line 1']);
});

test('calls of one agent follow each other, those of another are a conversation of their own', () => {
  const { before, next, toolsOf, callOf, agentOf, lastCall } = layout(TEAM);
  expect(before.get(key(10))).toBe(key(2));
  expect(next.get(key(2))).toBe(key(10));
  expect(before.get(key(5))).toBeUndefined();
  expect(toolsOf.get(key(2))).toEqual([key(3)]);
  expect(toolsOf.get(key(5))).toEqual([key(6), key(7)]);
  expect(callOf.get(key(7))).toBe(key(5));
  expect(agentOf.get(key(7))).toBe(key(4));
  expect(lastCall.get(key(1))).toBe(key(10));
});

test('a chat goes on over traces', () => {
  const turn = (number: number, trace: number) => ({
    ...span(number, number - 1, 'llm'),
    trace_id: `${trace}`.padStart(32, '0'),
  });
  const agent = (number: number, trace: number) => ({
    ...span(number, null, 'agent', { name: 'helper' }),
    trace_id: `${trace}`.padStart(32, '0'),
  });
  const spans = [agent(1, 1), turn(2, 1), agent(3, 2), turn(4, 2)];
  expect(layout(spans).before.get(spanKey(turn(4, 2)))).toBe(spanKey(turn(2, 1)));
});

test('a chat goes on over traces also where a second layer told each run once more', () => {
  const of = (trace: number, one: SpanRow) => ({
    ...one,
    trace_id: `${trace}`.padStart(32, '0'),
  });
  const run = (trace: number, first: number) => [
    of(trace, span(first, null, 'agent', { name: 'helper' })),
    of(trace, span(first + 1, first, 'agent', { name: 'helper', duplicate_of: id(first) })),
    of(trace, span(first + 2, first + 1, 'llm')),
  ];
  const [, , first, , , second] = [...run(1, 1), ...run(2, 4)].map(spanKey);
  const { before, agentOf } = layout([...run(1, 1), ...run(2, 4)]);
  expect(before.get(second ?? '')).toBe(first);
  expect(agentOf.get(second ?? '')).toMatch(/4$/);
});

test('a failed tool knows when it was called again, in the same run', () => {
  expect(layout(TEAM).again.get(key(6))).toBe(key(7));
  const runs = [
    span(1, null, 'agent', { name: 'helper', ms: 30 }),
    span(2, 1, 'tool', { status: 'error' }),
    span(5, null, 'agent', { name: 'helper', ms: 30 }),
    span(6, 5, 'tool'),
  ];
  expect(layout(runs).again.size).toBe(0);
});

test('what a model said is below the tools that ran while it was called', () => {
  const spans = [span(1, null, 'llm', { ms: 90 }), span(2, 1, 'tool'), span(3, null, 'llm')];
  expect(drawn(spans)).toEqual(['call 1', 'tool 2', 'said 1', 'call 3']);
  expect([...layout(spans).answeredBelow]).toEqual([key(1)]);
});

test('what a server asks for in the middle of a call is shown, its side of the call is not', () => {
  const spans = [
    span(1, null, 'tool', { name: 'execute_tool confirm', ms: 90 }),
    span(2, 1, 'tool', { duplicate_of: id(1) }),
    span(3, 2, 'mcp', { name: 'elicitation/create' }),
    span(4, 1, 'mcp', { name: 'tools/call confirm' }),
    span(5, 4, 'mcp', { name: 'tools/call confirm' }),
    span(6, 1, 'tool', { duplicate_of: id(1), name: 'MCP send tools/call confirm' }),
    span(7, 6, 'tool', { name: 'tools/call confirm' }),
    span(8, 1, 'tool', { name: 'MCP send tools/call confirm' }),
  ];
  expect(drawn(spans)).toEqual(['tool 1', '  line 3']);
});

test('the loop of an agent has no heading for each time round', () => {
  const spans = [
    span(1, null, 'agent'),
    span(2, 1, 'step', { name: 'cycle' }),
    span(3, 2, 'llm'),
    span(4, 2, 'tool'),
    span(5, 1, 'step', { name: 'cycle' }),
    span(6, 5, 'llm'),
  ];
  expect(drawn(spans)).toEqual(['agent 1', 'call 3', 'tool 4', 'call 6', 'end 1']);
});

test('a failure knows who failed with it', () => {
  const spans = [
    span(1, null, 'agent', { status: 'error' }),
    span(2, 1, 'agent', { status: 'error' }),
    span(3, 2, 'tool', { status: 'error' }),
    span(4, 1, 'tool', { status: 'error' }),
  ];
  const ids = (number: number) => layout(spans).failedAbove(key(number)).map(spanKey);
  expect(ids(3)).toEqual([key(2), key(1)]);
  expect(ids(4)).toEqual([key(1)]);
});

test('only the first failure in an agent is the cause of its own', () => {
  const spans = [
    span(1, null, 'agent', { status: 'error', ms: 900 }),
    span(2, 1, 'agent', { status: 'error', ms: 300 }),
    span(3, 2, 'tool', { status: 'error', at: 30 }),
    span(4, 2, 'tool', { status: 'error', at: 50 }),
    span(5, 1, 'tool', { status: 'error', at: 600 }),
  ];
  const { isCause } = layout(spans);
  expect([2, 3, 4, 5].map((number) => isCause(key(number)))).toEqual([true, true, false, false]);
});

test('an agent that is all there is in another is not folded', () => {
  const wrapped = [span(1, null, 'agent'), span(2, 1, 'agent'), span(3, 2, 'llm')];
  expect(drawn(wrapped)).toEqual(['agent 1', 'agent 2', '  call 3', 'end 2', 'end 1']);
  const besides = [...wrapped, span(4, 1, 'llm')];
  expect(drawn(besides)).toContain('agent 2 folded');
});

test('what an agent came to is below all that it did, while it runs and when it is lost', () => {
  const running = span(1, null, 'agent', { status: 'running', duration_ns: null });
  const lost = span(1, null, 'agent', { status: 'lost', duration_ns: null });
  expect(drawn([running, span(2, 1, 'llm')])).toEqual(['agent 1', 'call 2', 'end 1']);
  expect(drawn([lost, span(2, 1, 'llm')])).toEqual(['agent 1', 'call 2', 'end 1']);
});

test('ten thousand agents below each other are laid out', () => {
  const spans = Array.from({ length: 10_000 }, (_, at) =>
    span(at + 1, at === 0 ? null : at, 'agent'),
  );
  expect(layout(spans).entries).toHaveLength(5);
});

const KINDS = ['agent', 'llm', 'tool', 'mcp', 'step', 'workflow', 'other', 'resource'];
const anySpans = fc
  .array(
    fc.record({
      parent: fc.integer({ min: 0, max: 12 }),
      kind: fc.constantFrom(...KINDS),
      status: fc.constantFrom('ok', 'error', 'running', 'lost'),
      at: fc.integer({ min: 0, max: 50 }),
      isDuplicate: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((list) =>
    list.map(({ parent, kind, status, at, isDuplicate }, index) =>
      span(index + 1, parent === 0 ? null : parent, kind, {
        at,
        status: status as SpanRow['status'],
        duplicate_of: isDuplicate && parent !== 0 ? id(parent) : null,
        duration_ns: status === 'running' || status === 'lost' ? null : MS,
      }),
    ),
  );

test('whatever the spans: each is one entry at most, and is found at one if any is shown', () => {
  fc.assert(
    fc.property(anySpans, fc.boolean(), (spans, isWhole) => {
      const { entries, entryOf } = layout(spans, { isWhole });
      const ids = entries.map((entry) => entry.id);
      expect(new Set(ids).size).toBe(ids.length);
      entries.forEach((entry, at) => {
        if (entry.type !== 'end' && entry.type !== 'said') expect(entryOf.get(entry.key)).toBe(at);
      });
      for (const one of spans) {
        const at = entryOf.get(spanKey(one));
        if (at !== undefined) expect(entries[at]).toBeDefined();
        // Nothing that failed by itself goes unseen.
        if (one.status === 'error' && one.duplicate_of === null && one.kind === 'llm')
          expect(at).toBeDefined();
      }
    }),
  );
});

test('in whatever order the spans come, the transcript is the same', () => {
  fc.assert(
    fc.property(
      anySpans.chain((spans) =>
        fc.tuple(
          fc.constant(spans),
          fc.shuffledSubarray(spans, { minLength: spans.length, maxLength: spans.length }),
        ),
      ),
      ([spans, shuffled]) => {
        expect(layout(shuffled).entries).toEqual(layout(spans).entries);
      },
    ),
  );
});
