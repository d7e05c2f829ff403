/**
 * The last words of a process that ends at once (`process.exit()`).
 *
 * Nothing asynchronous runs then any more, so another Node process sends what is left, while this
 * one waits for it, for at most a second.
 */

import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';

import type { Address } from '../service/address.js';

const EXIT_MS = 900;
const MAX_INPUT_BYTES = 16 * 2 ** 20;

/** A request that is left to send. */
export interface ExitPost {
  readonly path: string;
  readonly body: string;
}

// Reads one JSON text from its input: `[{url, headers, body}]`.
const SENDER = `
let text = '';
process.stdin.setEncoding('utf8').on('data', (piece) => { text += piece; }).on('end', async () => {
  for (const { url, headers, body } of JSON.parse(text)) {
    await new Promise((resolve) => {
      const { request } = require(url.startsWith('https:') ? 'https' : 'http');
      const sending = request(url, { method: 'POST', headers }, (response) => {
        response.resume().on('end', resolve).on('error', resolve);
      });
      sending.on('error', () => process.exit(1));
      sending.end(body);
    });
  }
});
`;

/** Send `posts` before the process ends. Never throws. */
export function sendAtExit(address: Address, posts: readonly ExitPost[]): void {
  if (posts.length === 0 || !isNode()) return;
  const headers = {
    'content-type': 'application/json',
    ...(address.token ? { authorization: `Bearer ${address.token}` } : {}),
  };
  const requests = posts.map(({ path, body }) => ({ url: address.url + path, headers, body }));
  const input = JSON.stringify(requests);
  if (input.length > MAX_INPUT_BYTES) return;
  try {
    spawnSync(process.execPath, ['-e', SENDER], {
      input,
      timeout: EXIT_MS,
      killSignal: 'SIGKILL',
      stdio: ['pipe', 'ignore', 'ignore'],
      windowsHide: true,
      // Not NODE_OPTIONS: what it loads would be loaded again.
      env: { NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] },
    });
  } catch {
    // no process may be started here
  }
}

function isNode(): boolean {
  const { electron, bun } = process.versions;
  return !electron && !bun && /^node(\.exe)?$/i.test(basename(process.execPath));
}
