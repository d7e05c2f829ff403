// Write `src/api/schema.gen.ts` from the contract; `--check` fails when it is stale instead.
import { readFile, writeFile } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';

const contract = new URL('../../openapi.yaml', import.meta.url);
const target = new URL('../src/api/schema.gen.ts', import.meta.url);
const header = '// Generated from openapi.yaml by `npm run gen`. Do not edit.\n\n';

const fresh = header + astToString(await openapiTypescript(contract, { alphabetize: true }));

if (process.argv.includes('--check')) {
  const committed = await readFile(target, 'utf8').catch(() => '');
  if (committed !== fresh) {
    console.error('src/api/schema.gen.ts is stale: run `npm run gen` in web/ and commit it.');
    process.exit(1);
  }
} else {
  await writeFile(target, fresh);
}
