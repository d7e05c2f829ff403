/** The tools offered to a model: name, description, schema. */
import { useState } from 'react';
import type { ToolDefinition } from '../../api/types.ts';
import { groupThousands } from '../../model/text/format.ts';
import { ClampedText } from '../parts/values/clamped-text.tsx';
import { PayloadView } from '../parts/values/payload.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { Fold } from './fold.tsx';
import './tools-offered.css';

/** Number of tools at first; more on request. */
const FIRST = 100;

export function ToolsOffered({ tools }: { readonly tools: readonly ToolDefinition[] }) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? tools : tools.slice(0, FIRST);
  return (
    <Fold label={`Tools offered, ${groupThousands(tools.length)}`}>
      <ul className="ins-offered">
        {shown.map((tool, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a name may be there twice
          <li key={at}>
            <Fold label={<Name tool={tool} />}>
              {tool.description !== null && <ClampedText text={tool.description} />}
              {tool.parameters === null ? (
                <p className="ins-none">No schema was captured.</p>
              ) : (
                <PayloadView payload={tool.parameters} what={`the schema of ${tool.name}`} />
              )}
            </Fold>
          </li>
        ))}
      </ul>
      {shown.length < tools.length && (
        <button type="button" className="ins-link" onClick={() => setAll(true)}>
          Show all {groupThousands(tools.length)}
        </button>
      )}
    </Fold>
  );
}

function Name({ tool }: { readonly tool: ToolDefinition }) {
  return (
    <span className="ins-offered__name">
      <strong>
        <VisibleText text={tool.name} />
      </strong>
      {tool.description !== null && <span> {tool.description.slice(0, 200)}</span>}
    </span>
  );
}
