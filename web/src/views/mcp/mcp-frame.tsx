/** One message, as a tree over its text or as the exact captured text. */
import { useEffect, useMemo, useState } from 'react';
import type { McpEntry, McpFrame } from '../../api/types.ts';
import { indexJson, type JsonIndex } from '../../model/json/json-text.ts';
import { formatBytes, formatOffset } from '../../model/text/format.ts';
import { MCP_TEXT, SPAN_TEXT, showAll, VALUE_TEXT } from '../../texts.ts';
import { useInspector } from '../parts/context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { DataFrame } from '../parts/requests/data-frame.tsx';
import { JsonTree } from '../parts/values/json-tree.tsx';

interface FrameViewProps {
  readonly sessionId: string;
  readonly entry: McpEntry;
  readonly what: string;
}

/** Limit of a message that is loaded without a click. */
const MAX_AT_ONCE_BYTES = 2_000_000;
const MAX_TREE_CHARS = 8_000_000;

type Loaded = { readonly frame: McpFrame } | { readonly error: string };

export function FrameView({ sessionId, entry, what }: FrameViewProps) {
  const [isWanted, setWanted] = useState((entry.size_bytes ?? 0) <= MAX_AT_ONCE_BYTES);
  const loaded = useFrame(sessionId, entry, isWanted && entry.text !== null);
  const [isText, setText] = useState(false);
  const frame = loaded !== undefined && 'frame' in loaded ? loaded.frame : undefined;
  const text = frame?.body?.text ?? entry.text ?? '';
  const isPart = frame === undefined && !entry.is_whole;
  const index = useMemo(
    () => (isPart || text.length > MAX_TREE_CHARS ? undefined : indexJson(text)),
    [isPart, text],
  );
  const isTree = index?.isContainer(0) === true && !isText;
  return (
    <section className="ins-mcp-frame" aria-label={what}>
      <header className="ins-mcp-frame__head">
        <strong>{entry.type === 'request' ? MCP_TEXT.request : titleOf(entry)}</strong>
        <span>{formatOffset(entry.offset_ns)}</span>
        {entry.rpc_id !== null && <span>#{entry.rpc_id.slice(0, 60)}</span>}
        {entry.size_bytes !== null && <span>{formatBytes(entry.size_bytes)}</span>}
        {entry.form === 'content' && <span>{MCP_TEXT.noEnvelope}</span>}
        <span className="ins-mcp-frame__end">
          {index?.isContainer(0) === true && (
            <button type="button" className="ins-link" onClick={() => setText(!isText)}>
              {isText ? VALUE_TEXT.tree : VALUE_TEXT.text}
            </button>
          )}
          {!isPart && entry.text !== null && <CopyButton text={text} what={what} />}
        </span>
      </header>
      {entry.text === null ? (
        <p className="ins-mcp-frame__none">{SPAN_TEXT.notCaptured}</p>
      ) : isTree && index !== undefined ? (
        <>
          <Meta index={index} />
          <JsonTree index={index} root={0} what={what} />
        </>
      ) : (
        <DataFrame text={text} what={what} />
      )}
      {frame?.body?.is_truncated === true && (
        <p className="ins-mcp-frame__none">
          {MCP_TEXT.truncated(frame.body.original_bytes ?? undefined)}
        </p>
      )}
      {isPart && loaded === undefined && (
        <button type="button" className="ins-link" onClick={() => setWanted(true)}>
          {isWanted ? MCP_TEXT.loading : showAll(formatBytes(entry.size_bytes ?? 0))}
        </button>
      )}
      {loaded !== undefined && 'error' in loaded && <p role="alert">{loaded.error}</p>}
      {frame?.headers != null && <Headers text={frame.headers.text} />}
    </section>
  );
}

function titleOf(entry: McpEntry): string {
  if (entry.type === 'response')
    return entry.fault?.kind === 'rpc' ? MCP_TEXT.error : MCP_TEXT.response;
  return entry.type === 'stderr' ? 'stderr' : MCP_TEXT.notification;
}

function useFrame(sessionId: string, entry: McpEntry, isWanted: boolean): Loaded | undefined {
  const { api } = useInspector();
  const [loaded, setLoaded] = useState<Loaded>();
  const { key, state } = entry;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what runs says more when it is over
  useEffect(() => {
    if (!isWanted) return;
    const loading = new AbortController();
    api.mcpFrame(sessionId, key, loading.signal).then(
      (frame) => setLoaded({ frame }),
      (error: unknown) => {
        if (!loading.signal.aborted) setLoaded({ error: String((error as Error).message) });
      },
    );
    return () => loading.abort();
  }, [api, sessionId, key, state, isWanted]);
  return loaded;
}

/** Metadata of a message: protocol version, trace context, client or server. */
function Meta({ index }: { readonly index: JsonIndex }) {
  const found = ['params', 'result'].flatMap((part) => {
    const body = index.member(0, part);
    const meta = body === undefined ? undefined : index.member(body, '_meta');
    return meta === undefined ? [] : [meta];
  });
  const [node] = found;
  if (node === undefined) return null;
  return (
    <div className="ins-mcp-frame__meta">
      <span className="ins-mcp-frame__label">_meta</span>
      <JsonTree index={index} root={node} what="_meta" isFolded />
    </div>
  );
}

function Headers({ text }: { readonly text: string }) {
  const index = useMemo(() => indexJson(text), [text]);
  return (
    <div className="ins-mcp-frame__meta">
      <span className="ins-mcp-frame__label">{MCP_TEXT.httpHeaders}</span>
      {index === undefined ? (
        <DataFrame text={text} what={MCP_TEXT.headers} />
      ) : (
        <JsonTree index={index} root={0} what={MCP_TEXT.headers} />
      )}
    </div>
  );
}
