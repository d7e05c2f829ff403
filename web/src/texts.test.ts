/** What a person reads is in `texts.ts`: no component has a text, no module begins a sentence. */
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

const SOURCES = new URL('./', import.meta.url);
const VIEWS = new URL('./views/', import.meta.url);

/** Attributes that a person reads or hears. */
const READ = ['alt', 'aria-label', 'aria-valuetext', 'label', 'placeholder', 'title', 'what'];
/** Elements whose text is code or the name of a key. */
const CODE = ['code', 'kbd'];

/** Names and examples that stay in every language, with their number in the views. */
const NAMES: Readonly<Record<string, number>> = {
  Inspector: 2,
  JSON: 2,
  MCP: 1,
  Python: 1,
  _meta: 2,
  curl: 1,
  'status:failed tool:git_* &quot;merge conflict&quot;': 1,
  µs: 1,
};

test('no component has a literal text', () => {
  const found: Record<string, number> = {};
  const places: string[] = [];
  for (const { file, text } of components().flatMap(literalsOf)) {
    found[text] = (found[text] ?? 0) + 1;
    if (NAMES[text] === undefined) places.push(`${file}: ${text}`);
  }
  expect(places).toEqual([]);
  expect(found).toEqual(NAMES);
});

/** How a sentence begins, or two words that are no names of classes. */
const PHRASE = /^\p{Lu}([\p{L}'’]+[:,]? (\p{L}|$)| \p{Ll})|^(?!ins-)\p{Ll}+ \p{Ll}{2,}[\p{Ll} ]*$/u;

/** Literals that begin so and are no texts of ours, with their number. */
const PHRASES: Readonly<Record<string, number>> = {
  // Where an action belongs.
  'MCP log': 1,
  'Session list': 9,
  // Names of a key, of a protocol, of syntax, of a field's type, and of an editor's texts.
  'Ctrl ': 1,
  'MCP ': 1,
  'Object Array': 1,
  'Fold line': 1,
  'Unfold line': 1,
  'jsx ts': 1,
  'yes or no': 2,
  // The message of an error that is known by its class.
  'more than ': 1,
  // The beginning of a message of the service, which is looked for in it.
  'Did you mean ': 1,
};

test('no literal that begins like a sentence is outside the catalogue', () => {
  const found: Record<string, number> = {};
  const places: string[] = [];
  for (const file of sources()) {
    for (const text of phrasesOf(file)) {
      found[text] = (found[text] ?? 0) + 1;
      if (PHRASES[text] === undefined) places.push(`${file}: ${text}`);
    }
  }
  expect(places).toEqual([]);
  expect(found).toEqual(PHRASES);
});

function sources(): string[] {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  // What `empty` is in the name of shows examples of code.
  const isOurs = (name: string) => !/\.test\.|\bexamples\.ts|\.gen\.|^texts\.ts|empty/.test(name);
  return names.filter((name) => /\.tsx?$/.test(name) && isOurs(name));
}

/** Literals of a file that begin like a sentence, but for the messages of errors in the code. */
function phrasesOf(file: string): string[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = readFileSync(new URL(file, SOURCES), 'utf8');
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, kind);
  const phrases: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && /Error$/.test(node.expression.getText())) return;
    const text = ts.isTemplateExpression(node) ? node.head.text : undefined;
    const phrase = ts.isStringLiteralLike(node) ? node.text : text;
    if (phrase !== undefined && PHRASE.test(phrase)) phrases.push(phrase);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return phrases;
}

function components(): string[] {
  const names = readdirSync(VIEWS, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.tsx') && !name.endsWith('.test.tsx'));
}

function literalsOf(file: string): { file: string; text: string }[] {
  const source = readFileSync(new URL(file, VIEWS), 'utf8');
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && !isCode(node.parent)) texts.push(node.text);
    if (ts.isJsxExpression(node) && isElement(node.parent)) texts.push(...shownBy(node.expression));
    if (ts.isJsxAttribute(node) && READ.includes(node.name.getText())) {
      const value = node.initializer;
      texts.push(
        ...shownBy(value !== undefined && ts.isJsxExpression(value) ? value.expression : value),
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return texts
    .map((text) => text.replace(/^[\s:,]+|\s+$/g, ''))
    .filter((text) => /\p{L}{2}/u.test(text))
    .map((text) => ({ file, text }));
}

function isElement(node: ts.Node): boolean {
  return ts.isJsxElement(node) || ts.isJsxFragment(node);
}

function isCode(node: ts.Node): boolean {
  return ts.isJsxElement(node) && CODE.includes(node.openingElement.tagName.getText());
}

/** Literals that an expression may have as its value. */
function shownBy(node: ts.Node | undefined): string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)];
  }
  if (ts.isConditionalExpression(node)) {
    return [...shownBy(node.whenTrue), ...shownBy(node.whenFalse)];
  }
  if (ts.isParenthesizedExpression(node)) return shownBy(node.expression);
  if (!ts.isBinaryExpression(node)) return [];
  const isAnd = node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
  return [...(isAnd ? [] : shownBy(node.left)), ...shownBy(node.right)];
}
