/** Name of a span, with the operation before it muted, or left out where there is little room. */
import './span-name.css';
import { PARTS_TEXT } from '../../texts.ts';

/** Operation that conventions put before the name. */
const OPERATION =
  /^(invoke_agent|create_agent|execute_tool|chat|text_completion|generate_content|embeddings|tools\/call|resources\/read|prompts\/get|invoke_workflow)(?= \S)/;

export function SpanName({ name }: { readonly name: string }) {
  const operation = OPERATION.exec(name)?.[0];
  // In an element, where hidden characters are written out.
  if (operation === undefined) return <>{name || PARTS_TEXT.noName}</>;
  return (
    <>
      <span className="ins-operation">{operation}</span>
      {name.slice(operation.length)}
    </>
  );
}
