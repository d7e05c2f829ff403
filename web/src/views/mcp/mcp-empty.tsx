/** Empty MCP log, with ways to fill it. */

import { EMPTY_TEXT, MCP_TEXT } from '../../texts.ts';
import { CodedText } from '../parts/coded-text.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { LoadingRows } from '../parts/loading-rows.tsx';

const WITH_HOOKS = `from instrument import operation

async with operation(
    "rpc_request",
    envelope={"jsonrpc": "2.0", "method": "tools/call", "params": {"name": name, "arguments": args}},
    transport="stdio",
    server_name="files",
) as op:
    result = await session.call_tool(name, args)
    op.result = {"jsonrpc": "2.0", "result": result.model_dump(by_alias=True, mode="json")}`;

const WITH_OTEL = `pip install "mcp>=2" opentelemetry-sdk opentelemetry-exporter-otlp`;

export function McpEmpty() {
  return (
    <section className="ins-mcp-empty">
      <h2>{EMPTY_TEXT.mcp}</h2>
      <p>{EMPTY_TEXT.mcpLead}</p>
      <dl>
        <dt>{EMPTY_TEXT.mcpProxy}</dt>
        <dd>
          <Snippet text="inspector proxy -- uvx mcp-server-git" what={MCP_TEXT.command} />
        </dd>
        <dt>{EMPTY_TEXT.mcpRun}</dt>
        <dd>
          <Snippet text="inspector run my_agent.py" what={MCP_TEXT.command} />
        </dd>
        <dt>{EMPTY_TEXT.mcpHooks}</dt>
        <dd>
          <Snippet text={WITH_HOOKS} what={MCP_TEXT.python} />
        </dd>
        <dt>{EMPTY_TEXT.mcpOtel}</dt>
        <dd>
          <Snippet text={WITH_OTEL} what={MCP_TEXT.command} />
        </dd>
        <dt>{EMPTY_TEXT.mcpOther}</dt>
        <dd>
          <CodedText text={EMPTY_TEXT.mcpSpans} />
        </dd>
      </dl>
    </section>
  );
}

function Snippet({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <div className="ins-mcp-snippet">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

export function McpLoading() {
  return <LoadingRows lengths={[58, 46, 52, 40, 48]} />;
}
