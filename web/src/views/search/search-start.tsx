/** Search page without a query: recent queries, and examples. */
import { SEARCH_PAGE_TEXT, SEARCH_TEXT } from '../../texts.ts';
import { useInspector, usePreferences } from '../parts/context.ts';

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['"merge conflict"', SEARCH_PAGE_TEXT.exactPhrase],
  ['status:error kind:tool', SEARCH_PAGE_TEXT.failedTools],
  ['tool:git_* duration>5s', SEARCH_PAGE_TEXT.slowTools],
  ['kind:llm tokens>10k -model:*mini', SEARCH_PAGE_TEXT.largeCalls],
  ['kind:tool parent(agent:planner)', SEARCH_PAGE_TEXT.toolsOfAgent],
  ['@mcp.method.name:tools/call', SEARCH_PAGE_TEXT.attributeValue],
  ['session(status:failed) "timed out"', SEARCH_PAGE_TEXT.textInFailed],
  ['started:-2h.. service:planner', SEARCH_PAGE_TEXT.oneService],
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
