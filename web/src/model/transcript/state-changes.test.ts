import { expect, test } from 'vitest';
import { patchChanges, shortChange } from './state-changes.ts';

test('a change is a path with points, and its values in one line', () => {
  const before = { text: '10', is_json: true, is_truncated: false, original_bytes: null };
  const after = { ...before, text: `"${'x'.repeat(200)}"` };
  const change = shortChange({ op: 'replace', path: '/items/0/a~1b', before, after });
  expect(change).toMatchObject({ path: 'items.0.a/b', before: '10' });
  expect(change.after).toHaveLength(60);
});

test('a patch says what values become, unless it is cut short', () => {
  const patch = '[{"op":"test","path":"/a","value":1},{"op":"replace","path":"/a","value":70}]';
  expect(patchChanges(patch)).toEqual([
    { op: 'replace', path: 'a', before: undefined, after: '70' },
  ]);
  expect(patchChanges(patch.slice(0, -9))).toBeUndefined();
  expect(patchChanges('{"op":"add"}')).toBeUndefined();
});
