/** Components have no texts of their own: what a person reads is in `texts.ts`. */
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

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
