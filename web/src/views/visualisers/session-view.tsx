/** Visualisers as views of a session. */
import { useMemo } from 'react';
import { useCell } from '../parts/context.ts';
import { Guarded, isMatch } from '../parts/guarded.tsx';
import type { SessionView, SessionViewProps } from '../session/session-views.tsx';
import type { SessionVisualiser } from './visualiser.ts';

export function asSessionView(visualiser: SessionVisualiser): SessionView {
  return {
    id: visualiser.id,
    name: visualiser.name,
    View: (props) => <VisualisedSession visualiser={visualiser} {...props} />,
  };
}

interface VisualisedSessionProps extends SessionViewProps {
  readonly visualiser: SessionVisualiser;
}

export function VisualisedSession({ visualiser, ...props }: VisualisedSessionProps) {
  const { trace } = props;
  const state = useCell(trace.state);
  const structure = useCell(trace.structure);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the structure says when rows came
  const hasMatch = useMemo(() => {
    for (const row of trace.spans.values()) if (isMatch(visualiser.matches, row)) return true;
    return false;
  }, [visualiser, trace, structure]);
  if (!hasMatch) {
    const isEmpty = trace.spans.size === 0;
    return (
      <p className="ins-visualised__nothing" role="status">
        {state.kind === 'loading'
          ? 'Loading …'
          : isEmpty
            ? 'No span has arrived yet.'
            : visualiser.nothing}
      </p>
    );
  }
  return (
    <Guarded key={trace.sessionId} name={visualiser.name}>
      <visualiser.Shown {...props} />
    </Guarded>
  );
}
