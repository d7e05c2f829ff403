import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const sheets = (readdirSync(ROOT, { recursive: true }) as string[]).filter((path) =>
  path.endsWith('.css'),
);

function tokensOf(block: string): string[] {
  return [...block.matchAll(/^\s*(--[\w-]+):/gm)].map((match) => match[1] ?? '').sort();
}

test('colours are written in tokens.css alone', () => {
  const colour = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch|lab)a?\((?!from)/i;
  const strays = sheets.filter((path) => !path.endsWith('tokens.css') && colour.test(read(path)));
  expect(strays).toEqual([]);
});

test('every token that is used exists', () => {
  const known = new Set(tokensOf(read('styles/tokens.css')));
  // Set on elements by their components.
  const set = [
    '--row',
    '--tree-width',
    '--depth',
    '--indent',
    '--edge',
    '--ins-list-grid',
    '--ins-select',
  ];
  for (const name of set) known.add(name);
  const used = sheets.flatMap((path) =>
    [...read(path).matchAll(/var\((--[\w-]+)/g)].map((match) => match[1] ?? ''),
  );
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});

test('the dark and the high-contrast theme give a value to every colour', () => {
  const [, light = '', dark = '', contrast = ''] = read('styles/tokens.css').split(/^:root/m);
  const colours = tokensOf(light).filter(
    (name) => !/^--(space|size|font|weight|radius|motion|bar|row|list)/.test(name),
  );
  expect(tokensOf(dark)).toEqual(colours);
  expect(tokensOf(contrast.slice(0, contrast.indexOf('}')))).toEqual(colours);
});
