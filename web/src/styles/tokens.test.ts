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

test('words of waiting have the colour that is read, signs the brighter one', () => {
  const ofWords = sheets.filter((path) => !path.endsWith('icons.css'));
  const low = ofWords.filter((path) => /^\s*color: var\(--status-waiting\)/m.test(read(path)));
  expect(low).toEqual([]);
});

test('every token that is used exists', () => {
  const known = new Set(tokensOf(read('styles/tokens.css')));
  // Set on elements by their components.
  const set = [
    '--row',
    '--tree-width',
    '--depth',
    '--runs',
    '--step',
    '--indent',
    '--edge',
    '--ins-list-grid',
    '--ins-list-width',
    '--ins-select',
    '--part',
    '--cached',
    // By the library of popups.
    '--available-width',
    '--available-height',
  ];
  for (const name of set) known.add(name);
  const used = sheets.flatMap((path) =>
    [...read(path).matchAll(/var\((--[\w-]+)/g)].map((match) => match[1] ?? ''),
  );
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});

test('every other theme gives a value to every colour', () => {
  const [, light = '', ...others] = read('styles/tokens.css').split(/^:root/m);
  const colours = tokensOf(light).filter(
    (name) => !/^--(space|size|font|weight|radius|motion|bar|row|sheet)/.test(name),
  );
  expect(others.length).toBe(3);
  for (const theme of others) {
    expect(tokensOf(theme.slice(0, theme.indexOf('}')))).toEqual(colours);
  }
});

/** Relative luminance of `oklch(L C H)`, its red, green and blue cut to what screens show. */
function luminance(lightness: number, chroma: number, hue: number): number {
  const turn = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(turn), chroma * Math.sin(turn)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const [red = 0, green = 0, blue = 0] = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((part) => Math.min(Math.max(part, 0), 1));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('a service is told from the ground and from a selected row in every theme and hue', () => {
  const themes = read('styles/tokens.css')
    .split(/^:root/m)
    .slice(1);
  for (const theme of themes) {
    const [service = [], ...grounds] = ['service', 'surface', 'ground', 'selected'].map((name) =>
      (new RegExp(`--${name}: oklch\\(([^)]+)\\)`).exec(theme)?.[1] ?? '').split(' ').map(Number),
    );
    const below = grounds.map(([l = 0, c = 0, h = 0]) => luminance(l, c, h));
    for (let hue = 0; hue < 360; hue += 1) {
      const light = luminance(service[0] ?? 0, service[1] ?? 0, hue);
      const ratios = below.map(
        (dark) => (Math.max(light, dark) + 0.05) / (Math.min(light, dark) + 0.05),
      );
      expect(Math.min(...ratios)).toBeGreaterThan(3);
    }
  }
});

test('texts of both themes of high contrast have seven to one on every ground', () => {
  const themes = read('styles/tokens.css')
    .split(/^:root/m)
    .filter((theme) => theme.startsWith("[data-theme='contrast"));
  expect(themes.length).toBe(2);
  for (const theme of themes) {
    const lightOf = (name: string) => {
      const value = new RegExp(`--${name}: oklch\\(([^)]+)\\)`).exec(theme)?.[1] ?? '';
      const [l = 0, c = 0, h = 0] = value.split(' ').map(Number);
      return luminance(l, c, h) + 0.05;
    };
    const low: string[] = [];
    for (const name of ['text', 'text-muted', 'text-faint', 'status-error', 'status-ok']) {
      for (const ground of ['surface', 'ground', 'sunken', 'hover', 'selected']) {
        const [one, other] = [lightOf(name), lightOf(ground)];
        const ratio = Math.max(one, other) / Math.min(one, other);
        if (ratio < 7) low.push(`${name} on ${ground}: ${ratio.toFixed(2)}`);
      }
    }
    expect(low).toEqual([]);
  }
});

test('code is read on every ground in every theme', () => {
  const themes = read('styles/tokens.css')
    .split(/^:root/m)
    .slice(1);
  for (const theme of themes) {
    const colours = new Map(
      [...theme.matchAll(/--([\w-]+): oklch\(([\d. ]+)\)/g)].map(([, name = '', value = '']) => {
        const [l = 0, c = 0, h = 0] = value.split(' ').map(Number);
        return [name, luminance(l, c, h)] as const;
      }),
    );
    const low: string[] = [];
    for (const [name, light] of colours) {
      if (!name.startsWith('code-')) continue;
      for (const ground of ['surface', 'ground', 'sunken', 'hover', 'status-error-ground']) {
        const dark = colours.get(ground) ?? light;
        const ratio = (Math.max(light, dark) + 0.05) / (Math.min(light, dark) + 0.05);
        if (ratio < 4.5) low.push(`${name} on ${ground}: ${ratio.toFixed(2)}`);
      }
    }
    expect(low).toEqual([]);
  }
});

test('no rule looks at any sibling: it would restyle all rows of a list as it scrolls', () => {
  const strays = sheets.filter((path) => /\* [+~]/.test(read(path)));
  expect(strays).toEqual([]);
});
