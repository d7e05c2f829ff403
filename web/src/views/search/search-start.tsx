/** Search page without a query: recent queries, and examples. */
import { SEARCH_TEXT } from '../../texts.ts';
import { useInspector, usePreferences } from '../parts/context.ts';

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['"merge conflict"', 'an exact phrase, in names and content'],
  ['status:error kind:tool', 'failed tool calls'],
  ['tool:git_* duration>5s', 'slow calls of git tools'],
  ['kind:llm tokens>10k -model:*mini', 'large LLM calls, without small models'],
  ['kind:tool parent(agent:planner)', 'tools that an agent called directly'],
  ['@mcp.method.name:tools/call', 'spans with this attribute value'],
  ['session(status:failed) "timed out"', 'text in failed sessions'],
  ['started:-2h.. service:planner', 'one service, last two hours'],
];

export function SearchStart({ onChoose }: { readonly onChoose: (query: string) => void }) {
  const { preferences } = useInspector();
  const { recentSearches } = usePreferences();
  return (
    <div className="ins-start">
      {recentSearches.length > 0 && (
        <section>
          <h2>
            {SEARCH_TEXT.recent}
            <button
              type="button"
              className="ins-link"
              onClick={() => preferences.change({ recentSearches: [] })}
            >
              {SEARCH_TEXT.clear}
            </button>
          </h2>
          <ul>
            {recentSearches.map((query) => (
              <li key={query}>
                <button type="button" onClick={() => onChoose(query)}>
                  <code>{query}</code>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{SEARCH_TEXT.examples}</h2>
        <ul>
          {EXAMPLES.map(([query, meaning]) => (
            <li key={query}>
              <button type="button" onClick={() => onChoose(query)}>
                <code>{query}</code>
                <span>{meaning}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
