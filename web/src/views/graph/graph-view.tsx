/** Graph view: agents, their calls and their hand-offs, drawn or as tables. */

import { useCallback, useMemo, useState } from 'react';
import { agentGraphOf, MOST_NODES } from '../../model/graph/agent-graph.ts';
import { handOffsByKey } from '../../model/graph/hand-off.ts';
import { toolServers } from '../../model/mcp/mcp-servers.ts';
import { actorText } from '../../model/trace/actor.ts';
import { subjectOf } from '../../model/trace/span-key.ts';
import { spanTreeOf } from '../../model/trace/span-tree.ts';
import { GRAPH_TEXT, TIME_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { ActorFilter } from '../parts/actor-filter.tsx';
import { useCell, useInspector } from '../parts/context.ts';
import { Guarded } from '../parts/guarded.tsx';
import type { SessionViewProps } from '../parts/session-view.ts';
import { useStepsOverSpans } from '../parts/sliced.ts';
import { useServiceStatistics } from '../parts/statistics/service-statistics.ts';
import { useMcpLog } from '../parts/use-mcp-log.ts';
import { GraphDrawing } from './graph-drawing.tsx';
import { GraphTables } from './graph-tables.tsx';
import './graph-view.css';

/** Views that a click on a node narrows. */
const NARROWED = ['transcript', 'waterfall'] as const;
/** Number of agents up to which their tools are shown. */
const FEW_AGENTS = 2;

export function GraphView(props: SessionViewProps) {
  const { trace } = props;
  const state = useCell(trace.state);
  // Of the whole: at an instant before the first agent the view is the same, and empty.
  const { spans, structure: cell } = trace.whole;
  const structure = useCell(cell);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the structure says when rows came
  const agents = useMemo(() => {
    const names = new Set<string>();
    for (const span of spans.values()) if (span.kind === 'agent') names.add(subjectOf(span));
    return names.size;
  }, [spans, structure]);
  if (agents === 0) {
    const isEmpty = spans.size === 0;
    return (
      <p className="ins-graph__nothing" role="status">
        {state.kind === 'loading'
          ? GRAPH_TEXT.loading
          : isEmpty
            ? GRAPH_TEXT.noSpans
            : GRAPH_TEXT.noAgents}
      </p>
    );
  }
  return (
    // Another session is another try.
    <Guarded key={trace.sessionId} name={GRAPH_TEXT.graph}>
      <Agents {...props} areFew={agents <= FEW_AGENTS} />
    </Guarded>
  );
}

interface AgentsProps extends SessionViewProps {
  /** Whether there is room for their tools, unless the reader chooses. */
  readonly areFew: boolean;
}

function Agents({ trace, selected, onSelect, areFew }: AgentsProps) {
  const { router } = useInspector();
  const [isSequence, setSequence] = useState(false);
  const [hasModels, setModels] = useState(false);
  const [chosenTools, setTools] = useState<boolean>();
  const hasTools = chosenTools ?? areFew;
  const [isTable, setTable] = useState(false);
  const { statistics } = useServiceStatistics(trace.whole, false);
  const handoffs = statistics?.handoffs;
  const session = useCell(trace.whole.session);
  const hasServers = hasTools && !isSequence && session?.has_mcp === true;
  // Of the whole: a server is the same at every instant.
  const { calls } = useMcpLog(trace.whole, hasServers);
  const servers = useMemo(() => toolServers(calls), [calls]);
  const steps = useCallback(
    function* () {
      const tree = yield* spanTreeOf(trace.forest, (key) => trace.spans.get(key));
      return yield* agentGraphOf(tree, {
        isSequence,
        hasModels: hasModels && !isSequence,
        hasTools: hasTools && !isSequence,
        most: MOST_NODES,
        handOffs: handOffsByKey(handoffs ?? []),
        servers,
      });
    },
    [trace, isSequence, hasModels, hasTools, handoffs, servers],
  );
  const graph = useStepsOverSpans(trace, steps);
  const actions = useMemo(
    () => [
      { name: GRAPH_TEXT.toggleOrder, run: () => setSequence((is) => !is) },
      { name: GRAPH_TEXT.toggleModels, run: () => setModels((has) => !has) },
      { name: GRAPH_TEXT.toggleTools, run: () => setTools((has) => !(has ?? areFew)) },
      { name: GRAPH_TEXT.toggleTable, run: () => setTable((is) => !is) },
    ],
    [areFew],
  );
  useActions(GRAPH_TEXT.graph, actions);

  if (graph === undefined || graph.nodes.length === 0) {
    return (
      <div className="ins-graph ins-graph--empty" role="status">
        {graph !== undefined && trace.whole !== trace ? TIME_TEXT.noAgent : GRAPH_TEXT.looking}
      </div>
    );
  }
  return (
    <div className="ins-graph">
      <div className="ins-graph__tools" role="toolbar" aria-label={GRAPH_TEXT.graph}>
        <Toggle isOn={isSequence} onToggle={setSequence} about={GRAPH_TEXT.executionOrderTitle}>
          {GRAPH_TEXT.executionOrder}
        </Toggle>
        <Toggle
          isOn={hasModels}
          onToggle={setModels}
          isOff={isSequence}
          about={GRAPH_TEXT.usedTitle}
        >
          {GRAPH_TEXT.models}
        </Toggle>
        <Toggle isOn={hasTools} onToggle={setTools} isOff={isSequence} about={GRAPH_TEXT.usedTitle}>
          {GRAPH_TEXT.tools}
        </Toggle>
        <Toggle isOn={isTable} onToggle={setTable} about={GRAPH_TEXT.tableTitle}>
          {GRAPH_TEXT.table}
        </Toggle>
        <ActorFilter views={NARROWED} />
        {graph.leftOut > 0 && (
          <span className="ins-graph__left-out" role="note">
            {GRAPH_TEXT.leftOut(graph.leftOut)}
          </span>
        )}
      </div>
      {isTable ? (
        <GraphTables graph={graph} onSelect={onSelect} />
      ) : (
        <GraphDrawing
          graph={graph}
          selected={selected}
          onSelect={onSelect}
          onChoose={({ kind, name }) => router.adjust({ actor: actorText({ kind, name }) }, true)}
        />
      )}
    </div>
  );
}

interface ToggleProps {
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
  /** Whether the option has no effect here. */
  readonly isOff?: boolean;
  readonly about: string;
  readonly children: string;
}

function Toggle({ isOn, onToggle, isOff = false, about, children }: ToggleProps) {
  return (
    <button
      type="button"
      className="ins-graph__toggle"
      aria-pressed={isOn && !isOff}
      disabled={isOff}
      title={about}
      onClick={() => onToggle(!isOn)}
    >
      {children}
    </button>
  );
}
