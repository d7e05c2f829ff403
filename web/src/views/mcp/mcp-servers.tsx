/** The servers of a session at a glance; choosing one limits the log to its lines. */

import type { McpServer } from '../../model/mcp/mcp-servers.ts';
import { formatBytes, formatDuration, formatOffset, plural } from '../../model/text/format.ts';
import { andMore, MCP_TEXT } from '../../texts.ts';
import { StatusIcon } from '../parts/icons.tsx';
import { VisibleText } from '../parts/visible-text.tsx';

interface McpServersProps {
  readonly servers: readonly McpServer[];
  readonly chosen: string | undefined;
  readonly onChoose: (server: string | undefined) => void;
}

const MAX_SHOWN = 12;

export function McpServers({ servers, chosen, onChoose }: McpServersProps) {
  return (
    <ul className="ins-mcp-servers" aria-label={MCP_TEXT.servers}>
      {servers.slice(0, MAX_SHOWN).map((server) => (
        <li key={server.name}>
          <button
            type="button"
            className={`ins-mcp-server ins-mcp-server--${server.state}`}
            aria-pressed={chosen === server.name}
            title={chosen === server.name ? MCP_TEXT.allServers : MCP_TEXT.onlyServer}
            onClick={() => onChoose(chosen === server.name ? undefined : server.name)}
          >
            <Name server={server} />
            <Era server={server} />
            <Counts server={server} />
          </button>
        </li>
      ))}
      {servers.length > MAX_SHOWN && (
        <li className="ins-mcp-servers__more">{andMore(servers.length - MAX_SHOWN)}</li>
      )}
    </ul>
  );
}

const SHAPES = {
  connected: 'completed',
  closed: 'cancelled',
  reconnecting: 'waiting',
  failed: 'failed',
  unknown: 'lost',
} as const;

const WORDS = {
  connected: 'connected',
  closed: 'closed',
  reconnecting: 'reconnecting',
  failed: 'failed',
  unknown: MCP_TEXT.noContact,
} as const;

function Name({ server }: { readonly server: McpServer }) {
  return (
    <span className="ins-mcp-server__name">
      <StatusIcon shape={SHAPES[server.state]} />
      <strong>
        <ServerName name={server.name} />
      </strong>
      {server.version !== undefined && <VisibleText text={server.version} />}
      <span className="ins-mcp-server__state">
        {WORDS[server.state]}
        {server.failedStep !== undefined && ` ${MCP_TEXT.at(server.failedStep)}`}
      </span>
    </span>
  );
}

function Era({ server }: { readonly server: McpServer }) {
  const parts = [
    server.transport,
    server.protocolVersion === undefined ? undefined : `MCP ${server.protocolVersion}`,
    server.era === 'handshake' ? MCP_TEXT.withHandshake : server.era,
  ];
  return (
    <span className="ins-mcp-server__line">
      <VisibleText
        text={parts.filter((part) => part !== undefined).join(' · ') || MCP_TEXT.noVersion}
      />
    </span>
  );
}

function Counts({ server }: { readonly server: McpServer }) {
  const { slowest, last_message_ns } = server;
  return (
    <span className="ins-mcp-server__line">
      {plural(server.calls, 'call')}
      {server.errors > 0 && (
        <span className="ins-mcp-server__errors">{plural(server.errors, 'error')}</span>
      )}
      {server.pending > 0 && (
        <span className="ins-mcp-server__pending">{MCP_TEXT.pending(server.pending)}</span>
      )}
      {slowest?.took_ns !== undefined && (
        <span title={MCP_TEXT.slowestCall(`${slowest.method} ${slowest.target ?? ''}`)}>
          {MCP_TEXT.slowest(formatDuration(slowest.took_ns))}
        </span>
      )}
      {last_message_ns !== undefined && (
        <span>{MCP_TEXT.lastMessage(formatOffset(last_message_ns))}</span>
      )}
      {server.stderrLines > 0 && <span>{MCP_TEXT.stderr(server.stderrLines)}</span>}
    </span>
  );
}

export function ServerName({ name }: { readonly name: string }) {
  return name === '' ? MCP_TEXT.unnamedServer : <VisibleText text={name} />;
}

export function sizeText(bytes: number | null | undefined): string {
  return bytes == null ? '' : formatBytes(bytes);
}
