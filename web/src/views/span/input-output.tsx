/** Input and output of a tool or an MCP exchange. */
import type { Payload, SpanDetail } from '../../api/types.ts';
import { StatusIcon } from '../parts/icons.tsx';
import { PayloadView } from '../parts/values/payload.tsx';

interface InputOutputProps {
  readonly detail: SpanDetail;
  readonly isRunning: boolean;
}

/** Captured parts only, without notes on missing ones, for views where they are secondary. */
export function CapturedInputOutput({ detail }: { readonly detail: SpanDetail }) {
  const { tool, mcp } = detail.view;
  return (
    <>
      <Captured title="Input" payload={tool?.arguments} />
      <Captured title="Output" payload={tool?.result} />
      <Captured title={`Request ${mcp?.method}`} payload={mcp?.request} />
      <Captured title="Response" payload={mcp?.response} />
    </>
  );
}

interface CapturedProps {
  readonly title: string;
  readonly payload: Payload | null | undefined;
}

function Captured({ title, payload }: CapturedProps) {
  return payload == null ? null : <Value title={title} payload={payload} none="" />;
}

export function InputOutput({ detail, isRunning }: InputOutputProps) {
  const { tool, mcp } = detail.view;
  const pending = isRunning ? 'It has not answered yet.' : 'Nothing was captured.';
  return (
    <>
      {tool !== null && (
        <>
          {tool.description !== null && <p className="ins-section">{tool.description}</p>}
          <Value title="Input" payload={tool.arguments} none="Nothing was captured." />
          <Value title="Output" payload={tool.result} none={pending} isError={tool.is_error} />
        </>
      )}
      {mcp !== null && (mcp.request !== null || mcp.response !== null || tool === null) && (
        <>
          <Value
            title={`Request ${mcp.method}`}
            payload={mcp.request}
            none="Nothing was captured."
          />
          <Value title="Response" payload={mcp.response} none={pending} />
        </>
      )}
    </>
  );
}

interface ValueProps {
  readonly title: string;
  readonly payload: Payload | null;
  readonly none: string;
  readonly isError?: boolean;
}

function Value({ title, payload, none, isError = false }: ValueProps) {
  return (
    <section className="ins-section">
      <h3>
        {title}
        {isError && (
          <span className="ins-panel__state ins-panel__state--failed">
            <StatusIcon shape="failed" />
            the tool says that it failed
          </span>
        )}
      </h3>
      {payload === null ? (
        <p className="ins-none">{none}</p>
      ) : (
        <PayloadView payload={payload} what={`the ${title.toLowerCase()}`} />
      )}
    </section>
  );
}
