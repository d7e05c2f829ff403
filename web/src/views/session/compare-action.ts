/** Link from a session to its comparison. */
import { useMemo } from 'react';
import { comparePath } from '../../state/route.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector } from '../parts/context.ts';

export function useCompareAction(sessionId: string): void {
  const { router } = useInspector();
  const actions = useMemo(
    () => [{ name: 'Compare with…', run: () => router.push(comparePath({ left: sessionId })) }],
    [router, sessionId],
  );
  useActions('Session', actions);
}
