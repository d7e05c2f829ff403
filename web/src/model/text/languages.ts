/** Languages of code blocks, by the names that people write; each is loaded with its first use. */
import type { Parser } from '@lezer/common';
import { type CodeToken, diffLineTokens, lineTokens } from './code-tokens.ts';

export type Tokenizer = (text: string) => readonly CodeToken[];

const javascript = (dialect: string) => async () =>
  (await import('@lezer/javascript')).parser.configure({ dialect });

const PARSERS: Readonly<Record<string, () => Promise<Parser>>> = {
  json: async () => (await import('@lezer/json')).parser,
  python: async () => (await import('@lezer/python')).parser,
  yaml: async () => (await import('@lezer/yaml')).parser,
  javascript: javascript('jsx'),
  typescript: javascript('ts'),
  tsx: javascript('jsx ts'),
};

const NAMES = new Map([
  ...Object.keys(PARSERS).map((name) => [name, name] as const),
  ['jsonc', 'json'],
  ['json5', 'javascript'],
  ['py', 'python'],
  ['python3', 'python'],
  ['yml', 'yaml'],
  ['js', 'javascript'],
  ['jsx', 'javascript'],
  ['mjs', 'javascript'],
  ['ts', 'typescript'],
]);

const DIFF: Tokenizer = (text) => lineTokens(text, diffLineTokens);

const loaded = new Map<string, Promise<Tokenizer>>();

/** Undefined: there is none of that name. */
export async function loadLanguage(name: string): Promise<Tokenizer | undefined> {
  const wanted = name.toLowerCase();
  if (wanted === 'diff' || wanted === 'patch') return DIFF;
  const known = NAMES.get(wanted);
  if (known === undefined) return undefined;
  const before = loaded.get(known);
  if (before !== undefined) return before;
  const loading = load(known);
  loaded.set(known, loading);
  // The service may be back when the next code is shown.
  loading.catch(() => loaded.delete(known));
  return loading;
}

async function load(known: string): Promise<Tokenizer> {
  const [{ lezerTokens }, parser] = await Promise.all([
    import('./lezer-tokens.ts'),
    PARSERS[known]?.(),
  ]);
  if (parser === undefined) throw new Error(`No parser of ${known}`);
  return (text) => lezerTokens(parser, text);
}
