/** Node of the graph: name, count, time and cost; problems by shape. */

import type { SpanKind } from '../../api/types.ts';
import type { GraphNode, NodeKind } from '../../model/graph/agent-graph.ts';
import type { Place } from '../../model/graph/graph-layout.ts';
import { formatCost, formatCount, formatDuration, plural } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { GRAPH_TEXT, MCP_TEXT, PARTS_TEXT } from '../../texts.ts';
import { KindIcon, StatusIcon } from '../parts/icons.tsx';

interface GraphNodeButtonProps {
  readonly node: GraphNode;
  readonly place: Place | undefined;
  readonly size: { readonly width: number; readonly height: number };
  readonly isSelected: boolean;
  readonly isFocusable: boolean;
  /** Called when the pointer or the focus comes or goes. */
  readonly onNear: (isNear: boolean) => void;
  readonly onOpen: () => void;
}

const KINDS: Readonly<Record<NodeKind, SpanKind>> = { agent: 'agent', model: 'llm', tool: 'tool' };

export function GraphNodeButton(props: GraphNodeButtonProps) {
  const { node, place, size, isSelected, isFocusable, onNear, onOpen } = props;
  if (place === undefined) return null;
  const name = plainLine(node.name, 60) || PARTS_TEXT.noName;
  const server = node.server === undefined ? undefined : plainLine(node.server, 60);
  return (
    <button
      type="button"
      data-row={node.id}
      data-focus=""
      className={classOf(node)}
      style={{ left: place.x, top: place.y, ...size }}
      tabIndex={isFocusable ? 0 : -1}
      aria-current={isSelected ? 'true' : undefined}
      title={node.waited_ns > 0 ? `${name}: ${ofWhichWaiting(node)}` : name}
      onFocus={() => onNear(true)}
      onBlur={() => onNear(false)}
      onPointerEnter={() => onNear(true)}
      onPointerLeave={() => onNear(false)}
      onClick={onOpen}
    >
      <span className="ins-graph__name">
        <KindIcon kind={KINDS[node.kind]} />
        <span className="ins-hidden">{node.kind} </span>
        <span>{name}</span>
        {server !== undefined && <span className="ins-hidden"> {MCP_TEXT.ofServer(server)}</span>}
        {node.waiting > 0 && <StatusIcon shape="waiting" />}
        {node.active > 0 && node.waiting === 0 && <StatusIcon shape="running" />}
        {node.errors > 0 && (
          <span className="ins-graph__errors">
            <StatusIcon shape="failed" />
            {node.errors > 1 && formatCount(node.errors)}
            <span className="ins-hidden">{` ${node.errors === 1 ? GRAPH_TEXT.oneError : PARTS_TEXT.errors} `}</span>
          </span>
        )}
      </span>
      <span className="ins-graph__facts">{factsOf(node).join(' · ')}</span>
    </button>
  );
}

function ofWhichWaiting({ took_ns, waited_ns }: GraphNode): string {
  return `${formatDuration(took_ns)}, ${formatDuration(waited_ns)} waiting`;
}

function classOf({ kind, errors, active, waiting, count }: GraphNode): string {
  return [
    'ins-graph__node',
    `ins-graph__node--${kind}`,
    errors > 0 && 'ins-graph__node--failed',
    active > 0 && waiting === 0 && 'ins-graph__node--active',
    waiting > 0 && 'ins-graph__node--waiting',
    count === 0 && 'ins-graph__node--unseen',
  ]
    .filter(Boolean)
    .join(' ');
}

function factsOf({
  kind,
  count,
  took_ns,
  tokens,
  cost_usd,
  running,
  waiting,
}: GraphNode): string[] {
  if (count === 0) return [GRAPH_TEXT.noRun];
  return [
    waiting > 0 ? 'waiting' : running > 0 ? 'running' : '',
    count > 1 ? plural(count, kind === 'agent' ? 'run' : 'call') : '',
    took_ns > 0 ? formatDuration(took_ns) : '',
    tokens > 0 ? `${formatCount(tokens)} tok` : '',
    cost_usd > 0 && count === 1 ? formatCost(cost_usd) : '',
  ].filter((fact) => fact !== '');
}
