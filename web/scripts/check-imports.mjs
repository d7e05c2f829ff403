// Which folder of `src/` may import from which: arrows point one way.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../src');

/** Folder → folders of `src/` and packages it may import from (its own folder always). */
const ALLOWED = {
  // The wire shapes are types only: api/types.ts holds no code.
  model: { folders: [], packages: [], files: ['api/types.ts'] },
  api: { folders: [], packages: [] },
  render: { folders: ['api', 'model'], packages: [] },
  state: { folders: ['api', 'model'], packages: [] },
  views: {
    folders: ['api', 'model', 'render', 'state'],
    packages: ['react', 'react-dom', '@tanstack/react-virtual'],
  },
  // What every element of the page is made by.
  jsx: { folders: ['model'], packages: ['react'] },
  styles: { folders: [], packages: [] },
  '.': { folders: ['api', 'state', 'styles', 'views'], packages: ['react', 'react-dom'] },
};

/** Tests may also use the test tools. */
const TEST_PACKAGES = ['vitest', 'fast-check', '@testing-library/react', 'node:fs', 'node:path'];

const problems = [];
for (const entry of await readdir(ROOT, { recursive: true })) {
  if (!/\.tsx?$/.test(entry)) continue;
  const file = join(ROOT, entry);
  const folder = entry.includes(sep) ? entry.slice(0, entry.indexOf(sep)) : '.';
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

function isAllowed(specifier, file, folder, allowed, isTest) {
  if (specifier.startsWith('.')) {
    const inside = relative(ROOT, resolve(dirname(file), specifier));
    const target = inside.includes(sep) ? inside.slice(0, inside.indexOf(sep)) : '.';
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
