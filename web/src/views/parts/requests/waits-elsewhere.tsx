/** Hint that a person is waited for where nothing can be answered here. */
import { useEffect, useState } from 'react';
import { useCell, useInspector } from '../context.ts';
import { StatusIcon } from '../icons.tsx';
import './waits-elsewhere.css';

/** A request comes a moment after the wait that it is of, and goes a moment before its end. */
const SETTLED_MS = 1500;

interface WaitsElsewhereProps {
  readonly isWaiting: boolean;
  readonly hasRequest: boolean;
}

export function WaitsElsewhere({ isWaiting, hasRequest }: WaitsElsewhereProps) {
  const isLoaded = useCell(useInspector().requests.state).kind === 'ready';
  const isElsewhere = isWaiting && isLoaded && !hasRequest;
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    if (!isElsewhere) return;
    const timer = setTimeout(() => setSettled(true), SETTLED_MS);
    return () => {
      clearTimeout(timer);
      setSettled(false);
    };
  }, [isElsewhere]);
  if (!isElsewhere || !isSettled) return null;
  return (
    <p className="ins-elsewhere" role="status">
      <StatusIcon shape="waiting" />
      It waits for a person somewhere else: there is nothing to answer here.
    </p>
  );
}
