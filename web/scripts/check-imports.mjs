// Check that folders of `src/` import from each other in one direction. Circles of files are found
// by Biome (`noImportCycles`).
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../src');

const BELOW_VIEWS = ['api', 'model', 'render', 'state'];
const VIEW_PACKAGES = ['@base-ui/react', 'react', 'react-dom', '@tanstack/react-virtual', 'mdast'];
const MODEL_PACKAGES = [
  '@dagrejs/dagre',
  '@lezer/common',
  '@lezer/highlight',
  '@lezer/javascript',
  '@lezer/json',
  '@lezer/python',
  '@lezer/yaml',
  'mdast',
  'mdast-util-from-markdown',
  'mdast-util-gfm',
  'micromark-extension-gfm',
];

/** A folder of `views/`: it may import from `parts/` below all of them, and from `others`. */
const view = (...others) => ({
  folders: [...BELOW_VIEWS, 'views/parts', ...others.map((other) => `views/${other}`)],
  packages: VIEW_PACKAGES,
  files: ['texts.ts'],
});

/** Folder → folders of `src/` and packages it may import from (its own folder always). */
const ALLOWED = {
  // The wire shapes are types only: api/types.ts holds no code.
  model: { folders: [], packages: MODEL_PACKAGES, files: ['api/types.ts'] },
  api: { folders: ['model'], packages: [] },
  render: { folders: ['api', 'model'], packages: [] },
  state: { folders: ['api', 'model'], packages: [] },
  // What several pages share.
  'views/parts': {
    ...view(),
    packages: [...VIEW_PACKAGES, '@codemirror', '@lezer/common', '@lezer/highlight', '@lezer/json'],
  },
  // The session page, from below: what its views and its panel are made of first.
  'views/visualisers': view(),
  'views/span': view('visualisers'),
  'views/graph': view(),
  'views/mcp': view(),
  'views/statistics': view(),
  'views/transcript': view(),
  'views/session': view('graph', 'mcp', 'span', 'statistics', 'transcript'),
  // The other pages: none reaches into another.
  'views/audit': view(),
  'views/causes': view(),
  'views/compare': view(),
  'views/palette': view(),
  'views/requests': view(),
  'views/search': view(),
  'views/sessions': view(),
  'views/usage': view(),
  // The page around them.
  views: view(
    'audit',
    'causes',
    'compare',
    'palette',
    'requests',
    'search',
    'session',
    'sessions',
    'usage',
  ),
  // What every element of the page is made by.
  jsx: { folders: ['model'], packages: ['react'] },
  styles: { folders: [], packages: [] },
  '.': {
    folders: ['api', 'model', 'state', 'styles', 'views', 'views/parts'],
    packages: ['react', 'react-dom'],
  },
};

/** Tests may also use the test tools. */
const TEST_PACKAGES = [
  'vitest',
  'fast-check',
  '@testing-library/react',
  'node:fs',
  'node:path',
  'typescript',
];

const problems = [];
for (const entry of await readdir(ROOT, { recursive: true })) {
  if (!/\.tsx?$/.test(entry)) continue;
  const file = join(ROOT, entry);
  const folder = folderOf(entry);
  const allowed = ALLOWED[folder];
  if (allowed === undefined) {
    problems.push(`src/${entry}: folder ${folder}/ is not in scripts/check-imports.mjs`);
    continue;
  }
  const isTest = /\.test\.tsx?$/.test(entry);
  const source = await readFile(file, 'utf8');
  for (const { fileName: specifier } of ts.preProcessFile(source).importedFiles) {
    if (!isAllowed(specifier, file, folder, allowed, isTest)) {
      problems.push(`src/${entry}: ${folder}/ must not import ${specifier}`);
    }
  }
}

/** The first folder of a path below `src/`; of a view the second, too. */
function folderOf(path) {
  const folders = path.split(sep).slice(0, -1);
  return folders.slice(0, folders[0] === 'views' ? 2 : 1).join('/') || '.';
}

function isAllowed(specifier, file, folder, allowed, isTest) {
  if (specifier.startsWith('.')) {
    const inside = relative(ROOT, resolve(dirname(file), specifier));
    if (inside === 'texts.ts') return true;
    const target = folderOf(inside);
    const isFile = allowed.files?.includes(inside.replaceAll(sep, '/'));
    return target === folder || allowed.folders.includes(target) || isFile;
  }
  const packages = isTest ? [...allowed.packages, ...TEST_PACKAGES] : allowed.packages;
  return packages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
