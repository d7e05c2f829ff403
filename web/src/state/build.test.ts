import { expect, test } from 'vitest';
import { Build } from './build.ts';

const page = (script: string) =>
  `<head><base href="/ui/"><script type="module" crossorigin src="./assets/${script}"></script>`;

/** A page of the build `own`, of which the service has `answers`; returns the number of reloads. */
function opened(own: string, memory: Map<string, string> | undefined, answers: string[]) {
  let reloads = 0;
  const build = new Build({
    script: `http://localhost/ui/assets/${own}`,
    loadPage: async () => answers.shift() ?? Promise.reject(new Error('no service')),
    memory: memory && {
      getItem: (key) => memory.get(key) ?? null,
      setItem: (key, value) => void memory.set(key, value),
    },
    reload: () => {
      reloads += 1;
    },
  });
  return { build, reloads: () => reloads };
}

test('a page of another build is loaded again, once for each build', async () => {
  const memory = new Map<string, string>();
  const first = opened('index-A.js', memory, [page('index-B.js')]);
  await first.build.reloadIfReplaced();
  expect(first.reloads()).toBe(1);

  // The old page once more, as from a proxy that has both: no loop.
  const second = opened('index-A.js', memory, [page('index-B.js'), page('index-C.js')]);
  await second.build.reloadIfReplaced();
  expect(second.reloads()).toBe(0);
  await second.build.reloadIfReplaced();
  expect(second.reloads()).toBe(1);
});

test.each([
  ['the same build', [page('index-A.js')]],
  ['no service', []],
  ['a page that is none of ours', ['<h1>The web UI is not built</h1>']],
])('with %s nothing is loaded again', async (_, answers) => {
  const { build, reloads } = opened('index-A.js', new Map(), answers);
  expect(await build.reloadIfReplaced()).toBe(false);
  expect(reloads()).toBe(0);
});

test('where the tab remembers nothing, nothing is loaded again by itself', async () => {
  const { build, reloads } = opened('index-A.js', undefined, [page('index-B.js')]);
  expect(await build.reloadIfReplaced()).toBe(true);
  expect(reloads()).toBe(0);
});
