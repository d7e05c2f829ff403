/** How an agent finds the service: the argument, the environment, the run-file (`docs/formats.md`). */

import { closeSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { warn } from '../log.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A service, and the token for it. */
export interface Address {
  /** Base address, without a trailing slash. */
  readonly url: string;
  readonly token: string | undefined;
  /** Whether the program or the environment names it; else it was found, and may move. */
  readonly isNamed: boolean;
}

interface RunFile {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

const NAME = 'inspector.json';
const FOLDER = 'mcp-agent-inspector';
const MAX_BYTES = 16_384;

/** Return the service to attach to; undefined: there is none. */
export function findService(
  url?: string,
  token?: string,
  environment: Environment = process.env,
): Address | undefined {
  const named = url ?? (environment['INSPECTOR_URL']?.trim() || undefined);
  const key = token ?? tokenOf(environment);
  const running = readRunFile(environment);
  if (named === undefined) {
    return running && { url: running.url, token: key ?? running.token, isNamed: false };
  }
  const address = named.replace(/\/+$/, '');
  return {
    url: address,
    token: key ?? (running?.url === address ? running.token : undefined),
    isNamed: true,
  };
}

/** Return whether `url` can be the base address of a service. */
export function isAddress(url: string): boolean {
  try {
    const { protocol, hostname } = new URL(url);
    return ['http:', 'https:'].includes(protocol) && hostname !== '';
  } catch {
    return false;
  }
}

/** Return the address for display, without credentials. */
export function displayed(url: string): string {
  try {
    const parts = new URL(url);
    parts.username = '';
    parts.password = '';
    return parts.href.replace(/\/$/, '');
  } catch {
    return 'an invalid address';
  }
}

function tokenOf(environment: Environment): string | undefined {
  if (environment['INSPECTOR_TOKEN']) return environment['INSPECTOR_TOKEN'];
  const file = environment['INSPECTOR_TOKEN_FILE'];
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    warn('token-file', `Cannot read the token file in INSPECTOR_TOKEN_FILE (${error}).`);
    return undefined;
  }
}

function readRunFile(environment: Environment): RunFile | undefined {
  for (const folder of folders(environment)) {
    const run = readOne(folder);
    if (run !== undefined && isAlive(run.pid)) return run;
  }
  return undefined;
}

function folders(environment: Environment): string[] {
  const chosen = environment['INSPECTOR_RUNTIME_DIR'];
  if (chosen) return [chosen];
  const places: string[] = [];
  const runtime = environment['XDG_RUNTIME_DIR'];
  if (runtime) places.push(join(runtime, FOLDER));
  const user = process.getuid?.();
  if (user !== undefined) places.push(join('/run/user', String(user), FOLDER));
  const local = environment['LOCALAPPDATA'];
  if (local) places.push(join(local, FOLDER));
  const home = environment['HOME'] ?? homedir();
  if (home) places.push(join(home, '.local', 'state', FOLDER));
  return [...new Set(places)];
}

function readOne(folder: string): RunFile | undefined {
  try {
    const path = join(folder, NAME);
    if (!isPrivate(folder) || !isPrivate(path)) return undefined;
    const { url, token, pid } = JSON.parse(beginning(path));
    if (typeof url !== 'string' || typeof token !== 'string' || !isAddress(url)) return undefined;
    if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
    return { url: url.replace(/\/+$/, ''), token, pid };
  } catch {
    return undefined; // no such file, or no run-file
  }
}

function beginning(path: string): string {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(MAX_BYTES);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, MAX_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/** Return whether the user owns `path` and is the only one who may write it. */
function isPrivate(path: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  const facts = lstatSync(path);
  return (facts.isDirectory() || facts.isFile()) && facts.uid === user && !(facts.mode & 0o022);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
