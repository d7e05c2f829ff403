/**
 * Drawing of the graph. Nodes are buttons on a plane that is moved and scaled; edges are drawn
 * below them. Arrow keys move along edges, Enter opens the span.
 *
 * Coordinates: of the plane (layout), CSS pixels at scale 1; of the view, what the reader sees.
 */

import { type KeyboardEvent, useMemo, useState } from 'react';
import type { AgentGraph, GraphEdge, GraphNode } from '../../model/graph/agent-graph.ts';
import {
  type Layout,
  type LayoutOptions,
  layoutGraph,
  neighbourOf,
} from '../../model/graph/graph-layout.ts';
import { formatCount, plural } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { ACTOR_TEXT, GRAPH_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useSize } from '../parts/context.ts';
import { ActionIcon, KindIcon } from '../parts/icons.tsx';
import { rowsOf, useListFocus, WALK } from '../parts/list-focus.ts';
import { loopPath, middleOf, pathOf } from './curve.ts';
import { GraphNodeButton } from './graph-node.tsx';
import { usePlane } from './plane.ts';

interface GraphDrawingProps {
  readonly graph: AgentGraph;
  readonly selected: string | undefined;
  readonly onSelect: (key: string | undefined) => void;
  /** Called for a node that is opened, beside what shows its span. */
  readonly onChoose?: (node: GraphNode) => void;
}

const NARROW_PX = 620;
const NODE = { width: 200, height: 54 };
const ZOOM = 1.3;
/** Limit of edges above which uses are labelled only near the pointer or the focus. */
const MOST_LABELS = 60;

export function GraphDrawing({ graph, selected, onSelect, onChoose }: GraphDrawingProps) {
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const { width_px, height_px } = useSize(element);
  const direction = width_px > 0 && width_px < NARROW_PX ? 'down' : 'right';
  const options = useMemo(() => optionsFor(direction), [direction]);
  const layout = useMemo(
    () =>
      layoutGraph(
        graph.nodes.map(({ id }) => id),
        graph.edges,
        options,
        serversOf(graph),
      ),
    [graph, options],
  );
  const { view, zoom, fit, handlers } = usePlane(element, width_px, height_px, layout);
  const [group, setGroup] = useState<HTMLElement | null>(null);
  const ids = useMemo(() => graph.nodes.map(({ id }) => id), [graph]);
  // The plane moves to what has the focus; nothing scrolls.
  const { list, key, at, goTo } = useListFocus(group, {
    name: 'graph',
    ...rowsOf(ids),
    show: () => {},
  });
  /** Node under the pointer or with the focus; its edges are highlighted. */
  const [near, setNear] = useState<string>();
  const isOf = ({ from, to }: GraphEdge) => near !== undefined && (from === near || to === near);
  const isDense = graph.edges.length > MOST_LABELS;
  const actions = useMemo(
    () => [
      { name: GRAPH_TEXT.zoomIn, keys: ['+', '='], run: () => zoom(ZOOM) },
      { name: GRAPH_TEXT.zoomOut, keys: ['-'], run: () => zoom(1 / ZOOM) },
      { name: GRAPH_TEXT.showAll, keys: ['0'], run: fit },
    ],
    [zoom, fit],
  );
  useActions(GRAPH_TEXT.graph, actions);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const isHere = isPlain && event.nativeEvent.code !== WALK && key !== undefined && at >= 0;
    const next = isHere ? neighbourOf(key, event.key, layout, graph.edges, direction) : undefined;
    // Along an edge where there is one, else to the next in order.
    if (next === undefined) return list.onKeyDown(event);
    event.preventDefault();
    goTo(next);
  };
  return (
    <div ref={setElement} className="ins-graph__view" {...handlers}>
      <div
        className="ins-graph__plane"
        style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
      >
        {[...layout.boxes].map(([server, { x, y, width, height }]) => (
          <div
            key={server}
            className="ins-graph__server"
            // The tools in it say it, too.
            aria-hidden="true"
            style={{ left: x, top: y, width, height }}
          >
            <span title={ACTOR_TEXT.server(plainLine(server, 300))}>
              <KindIcon kind="mcp" />
              {plainLine(server, 40)}
            </span>
          </div>
        ))}
        <svg
          width={Math.max(1, layout.width)}
          height={Math.max(1, layout.height)}
          aria-hidden="true"
          focusable="false"
        >
          <Arrowheads />
          {graph.edges.map((edge) => (
            <EdgeCurve
              key={edge.id}
              edge={edge}
              layout={layout}
              direction={direction}
              isDimmed={near !== undefined && !isOf(edge)}
            />
          ))}
        </svg>
        {graph.edges
          .filter((edge) => !isDense || edge.kind !== 'uses' || isOf(edge))
          .map((edge) => (
            <EdgeLabel key={edge.id} edge={edge} layout={layout} onOpen={onSelect} />
          ))}
        <div
          ref={setGroup}
          role="group"
          aria-label={GRAPH_TEXT.about(graph.nodes.length, graph.edges.length)}
          {...list}
          onKeyDown={onKeyDown}
        >
          {graph.nodes.map((node, index) => (
            <GraphNodeButton
              key={node.id}
              node={node}
              place={layout.places.get(node.id)}
              size={NODE}
              isSelected={selected !== undefined && node.open === selected}
              isFocusable={index === at}
              onNear={(isNear) => setNear(isNear ? node.id : undefined)}
              onOpen={() => {
                onChoose?.(node);
                if (node.open !== undefined) onSelect(node.open);
              }}
            />
          ))}
        </div>
      </div>
      <div className="ins-graph__zoom">
        <ZoomButton name={GRAPH_TEXT.zoomInTitle} onClick={() => zoom(ZOOM)}>
          +
        </ZoomButton>
        <ZoomButton name={GRAPH_TEXT.zoomOutTitle} onClick={() => zoom(1 / ZOOM)}>
          −
        </ZoomButton>
        <button
          type="button"
          className="ins-icon-button"
          title={GRAPH_TEXT.showAllTitle}
          aria-label={GRAPH_TEXT.showAll}
          onClick={fit}
        >
          <ActionIcon name="fit" />
        </button>
      </div>
      <p className="ins-graph__legend" aria-hidden="true">
        <span className="ins-graph__key">{GRAPH_TEXT.calls}</span>
        <span className="ins-graph__key ins-graph__key--handoff">{GRAPH_TEXT.handsOffTo}</span>
      </p>
    </div>
  );
}

/** Nodes of tools → their MCP server. */
function serversOf({ nodes }: AgentGraph): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap(({ id, server }) => (server === undefined ? [] : [[id, server] as const])),
  );
}

function optionsFor(direction: LayoutOptions['direction']): LayoutOptions {
  const isRight = direction === 'right';
  return {
    direction,
    ...NODE,
    layerGap: isRight ? 110 : 64,
    nodeGap: isRight ? 26 : 20,
  };
}

interface EdgeProps {
  readonly edge: GraphEdge;
  readonly layout: Layout;
}

interface EdgeCurveProps extends EdgeProps {
  readonly direction: LayoutOptions['direction'];
  readonly isDimmed: boolean;
}

function EdgeCurve({ edge, layout, direction, isDimmed }: EdgeCurveProps) {
  const route = layout.routes.get(edge.id);
  if (route === undefined) return null;
  const failed = edge.errors > 0 ? ' ins-graph__edge--failed' : '';
  const dimmed = isDimmed ? ' ins-graph__edge--dimmed' : '';
  return (
    <path
      className={`ins-graph__edge ins-graph__edge--${edge.kind}${failed}${dimmed}`}
      d={edge.from === edge.to ? loopPath(route) : pathOf(route, direction)}
      markerEnd={`url(#ins-arrow-${edge.errors > 0 ? 'failed' : edge.kind})`}
    />
  );
}

function EdgeLabel({
  edge,
  layout,
  onOpen,
}: EdgeProps & { readonly onOpen: (key: string | undefined) => void }) {
  const middle = middleOf(layout.routes.get(edge.id) ?? []);
  const label = labelOf(edge);
  if (middle === undefined || label === '') return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-hidden="true"
      className={`ins-graph__label${edge.errors > 0 ? ' ins-graph__label--failed' : ''}`}
      style={{ left: middle.x, top: middle.y }}
      title={`${edge.kind === 'handoff' ? GRAPH_TEXT.handedOff : GRAPH_TEXT.called} ${plural(edge.count, 'time')}${edge.errors > 0 ? `, ${plural(edge.errors, 'error')}` : ''}${edge.tokens > 0 ? `, ${formatCount(edge.tokens)} tokens` : ''}`}
      onClick={() => onOpen(edge.open)}
    >
      {label}
    </button>
  );
}

/** Label of an edge: its position in time, its count, its failures. */
function labelOf({ order, count, errors }: GraphEdge): string {
  return [
    order === undefined ? '' : `${order}`,
    count > 1 ? `${formatCount(count)}×` : '',
    errors > 0 ? `✕ ${formatCount(errors)}` : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

function Arrowheads() {
  return (
    <defs>
      {['calls', 'handoff', 'uses', 'failed'].map((kind) => (
        <marker
          key={kind}
          id={`ins-arrow-${kind}`}
          className={`ins-graph__arrow ins-graph__arrow--${kind}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path d="M0 0.5 8 4 0 7.5z" />
        </marker>
      ))}
    </defs>
  );
}

interface ZoomButtonProps {
  readonly name: string;
  readonly onClick: () => void;
  readonly children: string;
}

function ZoomButton({ name, onClick, children }: ZoomButtonProps) {
  return (
    <button
      type="button"
      className="ins-icon-button"
      title={name}
      aria-label={name.replace(/ \(.*/, '')}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
