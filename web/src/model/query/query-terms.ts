/** Terms of a query that can be switched on and off: `kind:tool,llm` among others. */

/** Values of `field:a,b` in the query, in their order; quoted text is no term. */
export function termValues(query: string, field: string): readonly string[] {
  return termOf(query, field)?.values ?? [];
}

/** The query with one value of a field added or removed. */
export function toggleTerm(query: string, field: string, value: string): string {
  const term = termOf(query, field);
  if (term === undefined) return `${query.trim()} ${field}:${value}`.trim();
  const values = term.values.includes(value)
    ? term.values.filter((other) => other !== value)
    : [...term.values, value];
  const written = values.length === 0 ? '' : `${field}:${values.join(',')}`;
  const [before, after] = [query.slice(0, term.from), query.slice(term.to)];
  return written === ''
    ? `${before.trimEnd()} ${after.trimStart()}`.trim()
    : before + written + after;
}

interface Term {
  readonly from: number;
  readonly to: number;
  readonly values: readonly string[];
}

/**
 * The term of a field, only if it stands alone: in parentheses or negated it means something else.
 */
function termOf(query: string, field: string): Term | undefined {
  let depth = 0;
  for (const { 0: word, index } of query.matchAll(/"(?:\\.|[^"\\])*"?|[()]|[^\s()"]+/g)) {
    if (word === '(') depth += 1;
    else if (word === ')') depth -= 1;
    else if (depth === 0 && word.startsWith(`${field}:`)) {
      const values = word.slice(field.length + 1).split(',');
      if (values.every((value) => /^[a-z_]+$/.test(value))) {
        return { from: index, to: index + word.length, values };
      }
    }
  }
  return undefined;
}

/**
 * The query with the service's suggestion in place of the mistake; positions count characters, not
 * UTF-16.
 */
export function mended(problem: {
  readonly query: string;
  readonly position: number;
  readonly length: number;
  readonly suggestion: string | undefined;
}): string | undefined {
  if (problem.suggestion === undefined) return undefined;
  const characters = [...problem.query];
  characters.splice(problem.position, problem.length, problem.suggestion);
  return characters.join('');
}
