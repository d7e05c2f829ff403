import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SpanRow } from '../../api/types.ts';
import { exampleSpan, forestOf } from '../examples.ts';
import { layoutTranscript } from '../transcript/transcript.ts';
import { type Actor, actorText, isBy, parseActor, spansOf } from './actor.ts';
import { spanKey } from './span-key.ts';

const KINDS = ['agent', 'tool', 'llm', 'step'] as const;
const NAMES = ['ada', 'bo', 'tool:x'] as const;

const spans = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      subject: fc.constantFrom(...NAMES),
      parent: fc.nat(),
    }),
    { maxLength: 14 },
  )
  .map((drawn) =>
    drawn.map(({ parent, ...one }, at) =>
      exampleSpan({
        ...one,
        span_id: String(at),
        model: one.subject,
        offset_ns: at,
        parent_span_id: at === 0 || parent % 4 === 0 ? null : String(parent % at),
      }),
    ),
  );
const actors = fc.record({
  kind: fc.constantFrom<Actor['kind']>('agent', 'tool', 'model'),
  name: fc.constantFrom(...NAMES),
});

/** Whether a span or one above it is of an actor, by the rows alone. */
function isWithin(rows: ReadonlyMap<string, SpanRow>, row: SpanRow, actor: Actor): boolean {
  if (isBy(row, actor)) return true;
  const above = rows.get(`${row.trace_id}.${row.parent_span_id}`);
  return above !== undefined && isWithin(rows, above, actor);
}

test('a view of an actor has its spans and all that is below them, and a transcript no others', () => {
  fc.assert(
    fc.property(spans, actors, (all, actor) => {
      const rows = new Map(all.map((row) => [spanKey(row), row]));
      const forest = forestOf(all);
      const rowOf = (key: string) => rows.get(key);
      const found = spansOf(forest, rowOf, actor).map((number) => forest.keyOf(number) ?? '');
      const expected = all.filter((row) => isWithin(rows, row, actor)).map(spanKey);
      expect(found.toSorted()).toEqual(expected.toSorted());
      const only = new Set(found);
      const { entries } = layoutTranscript(forest, rowOf, { only, open: only });
      expect(entries.filter(({ key }) => !only.has(key))).toEqual([]);
      // Tools and models that are found are entries, but for those that only wrap an agent.
      const calls = new Set(entries.map(({ key }) => key));
      const models = all.filter((row) => row.kind === 'llm' && only.has(spanKey(row)));
      expect(models.filter((row) => !calls.has(spanKey(row)))).toEqual([]);
    }),
  );
});

test('an actor is the same after it was in an address, whatever its name, and nothing else is one', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<Actor['kind']>('agent', 'tool', 'model'),
      fc.string(),
      (kind, name) => {
        expect(parseActor(actorText({ kind, name }))).toEqual({ kind, name });
      },
    ),
  );
  expect([parseActor(''), parseActor('step:x'), parseActor('tool')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
