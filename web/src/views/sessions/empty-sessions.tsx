/** Empty list: how to send the first session here. */
import { useState } from 'react';
import { EMPTY_TEXT, SESSION_LIST_TEXT } from '../../texts.ts';
import { useCell, useInspector } from '../parts/context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { ImportButton } from './file-drop.tsx';
import './empty-sessions.css';

interface Snippet {
  readonly name: string;
  readonly lead: string;
  readonly code: string;
}

export function EmptySessions() {
  const { serviceUrl, writers } = useInspector();
  const services = useCell(writers);
  const list = snippets(serviceUrl);
  const [at, setAt] = useState(0);
  const snippet = list[at] ?? list[0];
  if (snippet === undefined) return null;
  if (services.length > 0)
    return (
      <section className="ins-empty">
        <h2>{EMPTY_TEXT.sessions}</h2>
        <p>{EMPTY_TEXT.ofReader(services.join(', '))}</p>
      </section>
    );
  return (
    <section className="ins-empty">
      <h2>{EMPTY_TEXT.sessions}</h2>
      <p>{EMPTY_TEXT.sessionsLead}</p>
      <dl className="ins-empty__commands">
        {COMMANDS.map(({ lead, command }) => (
          <div key={command}>
            <dt>{lead}</dt>
            <dd>
              <code>{command}</code>
              <CopyButton text={command} what={`“${command}”`} label={SESSION_LIST_TEXT.copy} />
            </dd>
          </div>
        ))}
      </dl>
      <p className="ins-empty__saved">
        {EMPTY_TEXT.saved} <ImportButton isLarge />
      </p>
      <h3>{EMPTY_TEXT.ownCode}</h3>
      <div className="ins-empty__tabs" role="tablist" aria-label={EMPTY_TEXT.ownCode}>
        {list.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={index === at}
            onClick={() => setAt(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div className="ins-empty__snippet" role="tabpanel" aria-label={snippet.name}>
        <header>
          <span>{snippet.lead}</span>
          <CopyButton
            text={snippet.code}
            what={EMPTY_TEXT.snippet(snippet.name)}
            label={SESSION_LIST_TEXT.copy}
          />
        </header>
        <pre>
          <code>{snippet.code}</code>
        </pre>
      </div>
    </section>
  );
}

const COMMANDS = [
  { lead: EMPTY_TEXT.run, command: 'inspector run my_agent.py' },
  { lead: EMPTY_TEXT.proxy, command: 'inspector proxy -- uvx mcp-server-git' },
  { lead: EMPTY_TEXT.demo, command: 'inspector demo' },
] as const;

/** `url` ends with a slash. On loopback no token is needed to send. */
function snippets(url: string): readonly Snippet[] {
  const endpoint = url.replace(/\/$/, '');
  return [
    {
      name: 'Python',
      lead: "pip install 'mcp-agent-inspector[otel]'",
      code: `import asyncio
import inspector
from instrument import operation

inspector.attach("${endpoint}")


async def main() -> None:
    async with operation("agent_call", agent="planner"):
        args = {"query": "weather in Lisbon"}
        async with operation("tool_call", tool_name="search", args=args) as tool:
            await asyncio.sleep(3)
            tool.result = {"answer": "sunny"}


asyncio.run(main())
`,
    },
    {
      name: 'TypeScript',
      lead: 'npm i @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-proto',
      code: `import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { NodeSDK } from '@opentelemetry/sdk-node';

const sdk = new NodeSDK({
  serviceName: 'my-agent',
  traceExporter: new OTLPTraceExporter({ url: '${endpoint}/v1/traces' }),
});
sdk.start();

trace.getTracer('my-agent').startActiveSpan('invoke_agent planner', (span) => {
  span.setAttribute('gen_ai.operation.name', 'invoke_agent');
  span.end();
});
await sdk.shutdown();
`,
    },
    {
      name: 'Environment',
      lead: 'any program with an OpenTelemetry SDK',
      code: `export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_SERVICE_NAME=my-agent
`,
    },
  ];
}
