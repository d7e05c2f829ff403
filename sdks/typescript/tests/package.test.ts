/** The package as users get it: packed, installed in an empty folder, and run by Node alone. */

import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { Api, type Json, until } from './support/api.js';
import { Provider } from './support/provider.js';
import { ServiceProcess } from './support/service-process.js';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const QUIET = ['--no-audit', '--no-fund', '--silent', '--prefer-offline', '--no-package-lock'];
const run = promisify(execFile);

let folder: string;
/** One that a test may end. */
let mortal: ServiceProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inspector-ts-package-'));
  mortal = new ServiceProcess();
  await Promise.all([install(), mortal.start()]);
}, 120_000);
afterAll(async () => {
  await mortal.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function install(): Promise<void> {
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: PACKAGE,
  });
  const tarball = packed.stdout.trim().split('\n').at(-1) as string;
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  await run('npm', ['install', ...QUIET, `./${tarball}`], { cwd: folder });
}

interface Run {
  code: number | null;
  out: string;
  err: string;
  tookMs: number;
}

/** Run a script in the folder. */
function node(script: string, environment: Record<string, string>): Promise<Run> {
  const name = `script-${Math.random()}.mjs`;
  writeFileSync(join(folder, name), script);
  const began = performance.now();
  const child = spawn(process.execPath, [name], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...environment },
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    out += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    err += piece;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out, err, tookMs: performance.now() - began }));
  });
}

/** Check a program against the types of the package. */
async function checkTypes(name: string, program: string): Promise<void> {
  writeFileSync(join(folder, name), program);
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--allowJs', '--checkJs'];
  const tsc = join(PACKAGE, 'node_modules/typescript/bin/tsc');
  const types = ['--module', 'nodenext', '--typeRoots', join(PACKAGE, 'node_modules/@types')];
  await run(process.execPath, [tsc, ...flags, ...types, name], { cwd: folder });
}

/** The programs of README.md, in their order. */
function examplesOfReadme(): (string | undefined)[] {
  const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
  return [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map((found) => found[1]);
}

const found = () => ({ INSPECTOR_RUNTIME_DIR: inject('runtimeDir') });
const isOver = (rows: { status: string }[]) =>
  rows.length > 0 && rows.every(({ status }) => status !== 'running');

// Other files ask about a tool of this name at the service of all.
test('the example of the README finds the service, asks and runs what was allowed', async () => {
  const running = node(examplesOfReadme()[0] as string, {
    INSPECTOR_RUNTIME_DIR: mortal.runtimeDir,
  });
  const api = new Api(mortal.url, mortal.token);
  const request = await api.request('delete_file');
  expect(request.prompt).toBe('Delete /tmp/a?');
  await api.answer(request, { decision: 'allow', args_json: '{"path": "/tmp/b"}' });
  expect(await running).toMatchObject({ code: 0, out: 'deleted /tmp/b\n', err: '' });
  await api.rows(request.session_id, isOver);
});

test('the example for the AI SDK asks, and shows the calls of the model and of the tool', async () => {
  for (const name of ['ai', 'zod', '@ai-sdk']) {
    symlinkSync(join(PACKAGE, 'node_modules', name), join(folder, 'node_modules', name));
  }
  const provider = await Provider.start();
  const running = node(examplesOfReadme()[1] as string, {
    INSPECTOR_RUNTIME_DIR: mortal.runtimeDir,
    OPENAI_BASE_URL: provider.url,
  });
  const api = new Api(mortal.url, mortal.token);
  const request = await api.request('delete_file');
  await api.answer(request, { decision: 'allow' });
  expect(await running).toMatchObject({ code: 0, out: 'The tool said: deleted /tmp/a\n', err: '' });
  const rows = await api.rows(request.session_id, isOver);
  expect(rows.map(({ name }) => name)).toEqual([
    'invoke_agent tidy',
    'chat gpt-5.5',
    'execute_tool delete_file',
    'chat gpt-5.5',
  ]);
  provider.stop();
});

test('the program of the start page has types, and is the session that the page promises', async () => {
  const page = readFileSync(join(PACKAGE, '../../docs/start/typescript.md'), 'utf8');
  const [program, promised] = ['js', 'text'].map(
    (language) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] as string,
  ) as [string, string];
  const [title, ...tree] = promised.trimEnd().split('\n');
  await checkTypes('start.mjs', program);
  expect(await node(program, found())).toMatchObject({ code: 0, out: `${title} 3\n`, err: '' });
  const api = new Api();
  const session = await until(async () => {
    const { sessions } = await api.get<{ sessions: Json[] }>('/sessions');
    return sessions.find((one) => one['title'] === title);
  });
  const rows = await api.rows(session['id'] as string, isOver);
  expect(rows.map(({ name }) => name)).toEqual(tree.map((line) => line.replace(/^\W+/, '')));
});

test('a hand-written loop asks before it deletes; the model is told what came of it', async () => {
  const provider = await Provider.start();
  const example = readFileSync(join(PACKAGE, 'examples/loop.mjs'), 'utf8');
  const environment = {
    INSPECTOR_RUNTIME_DIR: mortal.runtimeDir,
    OPENAI_BASE_URL: provider.url,
    OPENAI_API_KEY: 'none',
  };
  const api = new Api(mortal.url, mortal.token);
  const denied = node(example, environment);
  await api.answer(await api.request('delete_file'), { decision: 'deny', reason: 'keep it' });
  expect((await denied).out).toContain('delete_file was denied: keep it');
  const allowed = node(example, environment);
  const request = await api.request('delete_file');
  await api.answer(request, { decision: 'allow' });
  expect((await allowed).out).toBe('The tool said: deleted /tmp/a\n');
  expect(await api.get(`/sessions/${request.session_id}`)).toMatchObject({
    title: 'Delete /tmp/a.',
  });
  provider.stop();
});

// Not beside others: at its end a process waits for a second, and no longer.
test('nothing is lost when the program calls process.exit', async () => {
  const script = `
    import { attach, session, tool } from '@mcp-agent-inspector/agent';
    attach();
    await session('exited', () => tool(() => 1, { name: 'last' })());
    process.exit(7);`;
  expect(await node(script, found())).toMatchObject({ code: 7, err: '' });
  const rows = await new Api().rows('exited', isOver);
  expect(rows.map(({ name, status }) => [name, status])).toEqual([['execute_tool last', 'unset']]);
});

const ALONE = `
  import { attach, tool } from '@mcp-agent-inspector/agent';
  const handle = attach();
  console.log(await tool((n) => n + 1, { name: 'add' })(1));
  await tool(() => 1, { name: 'asks', ask: true, timeoutMs: 100 })().catch((e) => console.log(e.message));`;

test.concurrent('with no service nothing is sent or asked, and nothing is said', async () => {
  const run = await node(ALONE, { INSPECTOR_RUNTIME_DIR: folder });
  expect(run).toMatchObject({ code: 0, err: '' });
  expect(run.out).toBe('2\nasks was denied: no Inspector service is connected to ask a person\n');
});

test.concurrent('a service that is away costs nothing but the view', async () => {
  const run = await node(ALONE, { INSPECTOR_URL: 'http://127.0.0.1:9', INSPECTOR_TOKEN: 'none' });
  expect(run.code).toBe(0);
  expect(run.out).toBe('2\nasks was denied: nobody answered in time\n');
  expect(run.tookMs).toBeLessThan(10_000);
});

test.concurrent('a wrong token is one line, and the program goes on', async () => {
  const run = await node(`${ALONE}\nawait handle.flush();`, {
    INSPECTOR_URL: inject('url'),
    INSPECTOR_TOKEN: 'wrong',
  });
  expect(run).toMatchObject({ code: 0 });
  expect(run.err).toMatch(/rejected the token \(401\)/);
});

test.concurrent('worker threads and child processes are watched by themselves', async () => {
  const work = (name: string) => `
    import { attach, session, tool } from '@mcp-agent-inspector/agent';
    attach();
    await session('threads', () => tool(() => 1, { name: '${name}' })());`;
  writeFileSync(join(folder, 'worker.mjs'), work('in_worker'));
  writeFileSync(join(folder, 'child.mjs'), work('in_child'));
  const script = `
    ${work('in_main')}
    const { Worker } = await import('node:worker_threads');
    const { fork } = await import('node:child_process');
    new Worker('./worker.mjs');
    fork('./child.mjs');`;
  expect(await node(script, found())).toMatchObject({ code: 0, err: '' });
  const rows = await new Api().rows('threads', (some) => some.length === 3 && isOver(some));
  const names = rows.map(({ name }) => name.replace('execute_tool ', '')).sort();
  expect(names).toEqual(['in_child', 'in_main', 'in_worker']);
});

test.concurrent('a question outlives the service that it was asked through', async () => {
  const script = `
    import { attach, tool } from '@mcp-agent-inspector/agent';
    attach();
    console.log(await tool(() => 'ran', { name: 'patient', ask: true })({ a: 1 }));`;
  const running = node(script, { INSPECTOR_RUNTIME_DIR: mortal.runtimeDir });
  const before = await new Api(mortal.url, mortal.token).request('patient');
  await mortal.stop('SIGKILL');
  await mortal.start();
  const api = new Api(mortal.url, mortal.token);
  const request = await api.request('patient');
  expect(request.id).toBe(before.id);
  await until(async () => {
    const { body } = await api.answer(request, { decision: 'allow' });
    return body['code'] === undefined ? body : undefined;
  });
  expect(await running).toMatchObject({ code: 0, out: 'ran\n' });
}, 60_000);

test.concurrent('the types of the package survive its wrappers', async () => {
  await checkTypes('usage.ts', readFileSync(join(PACKAGE, 'tests/support/usage.ts.txt'), 'utf8'));
});
