import { expect, test } from 'vitest';
import { EVERYWHERE } from '../../state/actions.ts';
import { arrange, itemsOf, RECENT } from './items.ts';

const nothing = () => {};
const group = (where: string, ...names: string[]) => ({
  where,
  actions: names.map((name) => ({ name, run: nothing })),
});
const GROUPS = [
  group(EVERYWHERE, 'Sessions', 'All keys'),
  group('Session', 'Next error', 'Freeze, go on'),
  group('Span', 'Copy as curl'),
];
const names = (sections: ReturnType<typeof arrange>) =>
  sections.map(({ where, found }) => [where, ...found.map(({ item }) => item.name)]);

test('what is nearest comes first: the selection, the page, then what is everywhere', () => {
  expect(names(arrange(itemsOf(GROUPS, false), '', []))).toEqual([
    ['Span', 'Copy as curl'],
    ['Session', 'Next error', 'Freeze, go on'],
    [EVERYWHERE, 'Sessions', 'All keys'],
  ]);
});

test('what was used before is on top, once, the last one first', () => {
  const used = ['Everywhere: All keys', 'Session: Next error', 'Session: gone'];
  const shown = names(arrange(itemsOf(GROUPS, false), '', used));
  expect(shown[0]).toEqual([RECENT, 'All keys', 'Next error']);
  expect(shown.flat().filter((name) => name === 'All keys').length).toBe(1);
});

test('of the selection, only its actions; without one, those of the page', () => {
  expect(names(arrange(itemsOf(GROUPS, true), '', []))).toEqual([['Span', 'Copy as curl']]);
  expect(itemsOf(GROUPS.slice(0, 2), true).map(({ name }) => name)).toEqual([
    'Next error',
    'Freeze, go on',
  ]);
});

test('what was typed puts the best first, and leaves out what it hardly is', () => {
  const shown = names(arrange(itemsOf(GROUPS, false), 'ses', []));
  expect(shown[0]?.[1]).toBe('Sessions');
  expect(names(arrange(itemsOf(GROUPS, false), 'curl', [])).flat()).toEqual([
    'Span',
    'Copy as curl',
  ]);
  expect(arrange(itemsOf(GROUPS, false), 'zzz', [])).toEqual([]);
});

test('typing theme lists the themes, and no session whose title has its letters somewhere', () => {
  const groups = [group(EVERYWHERE, 'Theme: dark', 'The team’s home page', 'Time zone: UTC')];
  const sessions = ['Tell them to move everything', 'Then he makes an estimate'].map((name) => ({
    id: name,
    name,
    where: 'Sessions',
    detail: 'completed, 3 minutes ago',
    run: nothing,
  }));
  const shown = names(arrange([...itemsOf(groups, false), ...sessions], 'theme', []));
  expect(shown).toEqual([[EVERYWHERE, 'Theme: dark']]);
});

test('of two with the same name in one place, the one that came last is done', () => {
  let done = '';
  const twice = ['first', 'second'].map((which) => ({
    where: 'Session',
    actions: [
      {
        name: 'Find',
        run: () => {
          done = which;
        },
      },
    ],
  }));
  const [item, ...others] = itemsOf(twice, false);
  item?.run();
  expect([done, others.length]).toEqual(['second', 0]);
});
