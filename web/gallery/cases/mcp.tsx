/** Cases of the MCP log and its lines, closed and opened, with every type of message. */
import { useMemo, useState } from 'react';
import type { McpEntry } from '../../src/api/types.ts';
import { joinCalls, type McpCall } from '../../src/model/mcp/mcp-calls.ts';
import { McpDetail } from '../../src/views/mcp/mcp-detail.tsx';
import { McpRow } from '../../src/views/mcp/mcp-row.tsx';
import { McpView } from '../../src/views/mcp/mcp-view.tsx';
import type { GalleryCase } from '../case.ts';
import { failure, recordedJson, silence } from '../service.ts';
import { Stage, type StageProps } from '../stage.tsx';
import { useTrace } from '../use-trace.ts';
import '../../src/views/mcp/mcp.css';

const LOG = '/sessions/wire/mcp';
/** Pages of the log: the first one has the spans, the others the messages on the wire. */
const PAGES = [LOG, `${LOG}?cursor=WzBd`];

function calls(): McpCall[] {
  const pages = PAGES.map((key) => recordedJson<{ readonly entries: readonly McpEntry[] }>(key));
  return joinCalls(
    pages.flatMap(({ entries }) => entries),
    { parentOf: () => undefined, isLive: true },
  );
}

/** One line, and what it shows when it is opened. */
function Line({ fits, isOpen }: { fits: (call: McpCall) => boolean; isOpen: boolean }) {
  const call = useMemo(() => calls().find(fits), [fits]);
  const [isShown, setShown] = useState(isOpen);
  const trace = useTrace('wire');
  if (call === undefined) return 'The fixtures have no such line.';
  return (
    <div className="ins-mcp">
      <div className="ins-mcp-scroller" style={{ '--row': '26px' } as object}>
        <McpRow
          call={call}
          depth={1}
          trace={trace}
          isOpen={isShown}
          isSelected={false}
          isWaiting={false}
          isCurrent
          hasServer
          onToggle={() => setShown(!isShown)}
          onOpen={() => {}}
        />
        {isShown && <McpDetail sessionId="wire" call={call} onOpenSpan={() => {}} />}
      </div>
    </div>
  );
}

function line(name: string, fits: (call: McpCall) => boolean, isOpen = true): GalleryCase {
  return { name: `mcp line, ${name}`, Shown: () => <Line fits={fits} isOpen={isOpen} /> };
}

const to = (target: string) => (call: McpCall) => call.target?.startsWith(target) === true;
const by = (method: string) => (call: McpCall) => call.method === method;

function Log() {
  return <McpView trace={useTrace('wire')} selected={undefined} onSelect={() => {}} />;
}

function log(name: string, stage: StageProps, height: number): GalleryCase {
  return {
    name: `mcp log${name}`,
    height,
    Shown: () => (
      <Stage {...stage}>
        <Log />
      </Stage>
    ),
  };
}

export const cases: readonly GalleryCase[] = [
  log('', {}, 900),
  log(', in time', { at: 'sessions/wire?order=time' }, 420),
  log(', errors', { at: 'sessions/wire?errors=1' }, 420),
  log(', nothing fits', { at: 'sessions/wire?find=nobody-said-that' }, 260),
  log(
    ', loading',
    { answers: (path, query) => (path === LOG ? silence(path, query) : undefined) },
    260,
  ),
  log(
    ', failed',
    { answers: (path, query) => (path === LOG ? failure(path, query) : undefined) },
    160,
  ),
  {
    name: 'mcp log, none',
    height: 520,
    Shown: () => <McpView trace={useTrace('plain')} selected={undefined} onSelect={() => {}} />,
  },
  line('closed', to('count'), false),
  line('progress', to('count')),
  line('running, with progress', to('build')),
  line('cancelled', to('sleep')),
  line('connection lost', to('crash')),
  line('rounds of input', to('publish')),
  line('asks for input', to('sign')),
  line('asked a person', to('announce')),
  line('elicitation', by('elicitation/create')),
  line('sampling', by('sampling/createMessage')),
  line('tool error', to('refuse')),
  line('error', to('file:')),
  line('hostile name', to('\u202e')),
  line('long name, long text', to('a_tool')),
  line('cut by its sender', to('cut')),
  line('handshake', by('initialize')),
  line('stateless', by('server/discover')),
  line('notification', by('notifications/tools/list_changed')),
  line('no JSON', (call) => call.server === 'broken' && call.kind === 'call'),
  line('stderr', (call) => call.kind === 'stderr' && call.words.includes('traceback')),
  line('connection opened', (call) => call.method === 'connected' && call.server === 'archive'),
  line('connection closed', by('disconnected')),
  line('reconnecting', by('reconnecting')),
  line('connection failed', by('failed')),
];
