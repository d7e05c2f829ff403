import { expect, test } from 'vitest';
import type { ImportReport } from '../api/types.ts';
import { Imports, MAX_FILE_BYTES } from './imports.ts';

const file = (name: string, size = 3): File =>
  Object.defineProperty(new File(['abc'], name), 'size', { value: size });

const report = (session: string) => ({ sessions: [session], mistake_count: 0 }) as ImportReport;

type ImportFile = ConstructorParameters<typeof Imports>[0]['importFile'];

function importsWith(importFile: ImportFile): Imports {
  return new Imports({ importFile });
}

test('files go one after another, and each says how far it is', async () => {
  const seen: string[] = [];
  const imports = importsWith(async (sent, onProgress) => {
    const { name } = sent as File;
    onProgress(0.5);
    seen.push(`${name} ${imports.jobs.get().map(({ state }) => state.kind)}`);
    onProgress(1);
    seen.push(`${name} ${imports.jobs.get().map(({ state }) => state.kind)}`);
    return report(name);
  });
  const jobs = await imports.add([file('a'), file('b')]);
  expect(seen).toEqual([
    'a sending,queued',
    'a reading,queued',
    'b done,sending',
    'b done,reading',
  ]);
  expect(jobs.map(({ state }) => state.kind)).toEqual(['done', 'done']);
  imports.clear();
  expect(imports.jobs.get()).toEqual([]);
});

test('folders, empty files and what is too large are refused in words, and never sent', async () => {
  const imports = importsWith(() => Promise.reject(new Error('It was sent.')));
  const jobs = await imports.add([
    { folder: 'runs' },
    file('none', 0),
    file('huge', MAX_FILE_BYTES + 1),
  ]);
  const outcomes = jobs.map(({ state }) => (state.kind === 'failed' ? state.message : state.kind));
  expect(outcomes[0]).toContain('folder');
  expect(outcomes[1]).toContain('empty');
  expect(outcomes[2]).toContain('inspector import');
});

test('one that fails does not keep the next one, and stopping ends them all', async () => {
  const imports = importsWith((sent, _onProgress, signal) => {
    const { name } = sent as File;
    if (name === 'bad') return Promise.reject(new Error('Line 3 is no JSON.'));
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('cut')));
      imports.stop();
    });
  });
  const jobs = await imports.add([file('bad'), file('long'), file('never')]);
  const outcomes = jobs.map(({ state }) => (state.kind === 'failed' ? state.message : state.kind));
  expect(outcomes[0]).toBe('Line 3 is no JSON.');
  expect(outcomes[1]).toMatch(/^Stopped\. /);
  expect(outcomes[2]).toMatch(/^Stopped before/);
  expect(imports.isBusy).toBe(false);
});
