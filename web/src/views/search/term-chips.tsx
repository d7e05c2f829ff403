/** Chips of common terms that toggle a term in the query. */

import { termValues, toggleTerm } from '../../model/query/query-terms.ts';
import { SEARCH_PAGE_TEXT } from '../../texts.ts';
import { KindIcon, kindName } from '../parts/icons.tsx';

const KINDS = ['agent', 'llm', 'tool', 'mcp', 'resource', 'prompt', 'retrieval'] as const;
const STATUSES = ['error', 'running', 'cancelled', 'lost'] as const;

interface TermChipsProps {
  readonly query: string;
  readonly onChange: (query: string) => void;
}

export function TermChips({ query, onChange }: TermChipsProps) {
  const kinds = termValues(query, 'kind');
  const statuses = termValues(query, 'status');
  return (
    <div className="ins-chips" role="group" aria-label={SEARCH_PAGE_TEXT.narrow}>
      {KINDS.map((kind) => (
        <button
          key={kind}
          type="button"
          className="ins-chip"
          aria-pressed={kinds.includes(kind)}
          onClick={() => onChange(toggleTerm(query, 'kind', kind))}
        >
          <KindIcon kind={kind} />
          {kindName(kind)}
        </button>
      ))}
      <span className="ins-chips__between" aria-hidden="true" />
      {STATUSES.map((status) => (
        <button
          key={status}
          type="button"
          className="ins-chip"
          aria-pressed={statuses.includes(status)}
          onClick={() => onChange(toggleTerm(query, 'status', status))}
        >
          {status}
        </button>
      ))}
    </div>
  );
}
