/** `inspector serve` of this repository, in its own process. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
export const PYTHON = process.env['INSPECTOR_PYTHON'] ?? join(ROOT, '.venv/bin/python');
export const REPOSITORY = ROOT;

/** A service with the same port and store over restarts. */
export class ServiceProcess {
  readonly folder = mkdtempSync(join(tmpdir(), 'inspector-ts-'));
  url = '';
  token = '';
  #port = 0;
  #process: ChildProcess | undefined;

  /** The folder of the run-file. */
  get runtimeDir(): string {
    return join(this.folder, 'run');
  }

  /** Start, and return once it listens. */
  async start(): Promise<this> {
    this.#port ||= await freePort();
    const child = spawn(PYTHON, ['-m', 'inspector', 'serve'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        HOME: this.folder,
        INSPECTOR_RUNTIME_DIR: this.runtimeDir,
        INSPECTOR_STORE: `sqlite:///${this.folder}/store.sqlite3`,
        INSPECTOR_PORT: String(this.#port),
        INSPECTOR_OTLP_HTTP_PORT: '0',
        INSPECTOR_OTLP_GRPC_PORT: '0',
      },
    });
    this.#process = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const found = /(\S+)\/ui\/\?token=(\S+)$/.exec(line);
      if (found?.[1] && found[2]) {
        [, this.url, this.token] = found as unknown as [string, string, string];
        child.stdout.resume();
        return this;
      }
    }
    throw new Error('the service ended before it listened');
  }

  /** End it, and wait until it has ended. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
