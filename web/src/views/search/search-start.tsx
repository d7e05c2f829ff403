/** Search page without a query: recent queries, and examples. */
import { useInspector, usePreferences } from '../parts/context.ts';

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['"merge conflict"', 'both words, one after the other, in a name or in what was said'],
  ['status:error kind:tool', 'tool calls that failed'],
  ['tool:git_* duration>5s', 'slow calls of tools whose name begins with git_'],
  ['kind:llm tokens>10k -model:*mini', 'large model calls, but not of small models'],
  ['kind:tool parent(agent:planner)', 'what an agent itself called'],
  ['@mcp.method.name:tools/call', 'an attribute of the span has a value'],
  ['session(status:failed) "timed out"', 'words in sessions that failed'],
  ['started:-2h.. service:planner', 'of the last two hours, of one service'],
];

export function SearchStart({ onChoose }: { readonly onChoose: (query: string) => void }) {
  const { preferences } = useInspector();
  const { recentSearches } = usePreferences();
  return (
    <div className="ins-start">
      {recentSearches.length > 0 && (
        <section>
          <h2>
            Looked for before
            <button
              type="button"
              className="ins-link"
              onClick={() => preferences.change({ recentSearches: [] })}
            >
              forget
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
        <h2>What can be asked, of every session there is</h2>
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
