import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyList } from './key-list.ts';

const action = fc.record({
  name: fc.string({ minLength: 1, maxLength: 4 }),
  keys: fc.array(fc.constantFrom('a', 'b', 'g s', 'Escape'), { maxLength: 2 }),
});
const group = fc.record({
  where: fc.constantFrom('Session', 'Waiting', 'Everywhere'),
  actions: fc.array(action, { maxLength: 5 }),
});

test('every action that has a key is listed in its place, and each place once', () => {
  fc.assert(
    fc.property(fc.array(group), (groups) => {
      const list = keyList(groups, 'Everywhere');
      for (const { where, actions } of groups) {
        for (const { name } of actions.filter(({ keys }) => keys.length > 0)) {
          const section = list.filter((one) => one.where === where);
          expect(section.length).toBe(1);
          expect(section[0]?.rows.filter(({ what }) => what === name).length).toBe(1);
        }
      }
    }),
  );
});

test('what counts everywhere comes last', () => {
  const some = (where: string) => ({ where, actions: [{ name: 'one', keys: ['a'] }] });
  const list = keyList([some('Everywhere'), some('Session')], 'Everywhere');
  expect(list.map(({ where }) => where)).toEqual(['Session', 'Everywhere']);
});
