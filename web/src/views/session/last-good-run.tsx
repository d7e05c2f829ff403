/** Link of a session with errors to its comparison with the last good run of the same title. */
import { useEffect, useMemo, useState } from 'react';
import type { Session } from '../../api/types.ts';
import { goesOn } from '../../model/trace/span-status.ts';
import { OF_SESSION } from '../../state/actions.ts';
import { comparePath } from '../../state/route.ts';
import { COMPARE_LINK_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';

export function LastGoodRun({ session }: { readonly session: Session }) {
  const { router } = useInspector();
  const { id } = session;
  const good = useLastGood(id, hasFailures(session));
  const path = good === undefined ? undefined : comparePath({ left: good, right: id });
  const actions = useMemo(
    () =>
      path === undefined
        ? []
        : [{ name: COMPARE_LINK_TEXT.withLastGood, run: () => router.push(path) }],
    [path, router],
  );
  useActions(OF_SESSION, actions);
  if (path === undefined) return null;
  return (
    <Link
      className="ins-link ins-session-head__good"
      to={path}
      title={COMPARE_LINK_TEXT.withLastGood}
    >
      {COMPARE_LINK_TEXT.withGood}
    </Link>
  );
}

/** Whether it is over and failed, or recovered from errors. */
function hasFailures({ status, error_count }: Session): boolean {
  return !goesOn(status) && (status === 'failed' || error_count > 0);
}

/** Id of the run; undefined: not known yet, or there is none. */
function useLastGood(id: string, isWanted: boolean): string | undefined {
  const { api } = useInspector();
  const [found, setFound] = useState<{ readonly of: string; readonly good: string | null }>();
  useEffect(() => {
    if (!isWanted) return;
    const reading = new AbortController();
    api.lastGoodSession(id, reading.signal).then(
      ({ session_id }) => setFound({ of: id, good: session_id }),
      // An offer: the page says elsewhere that the service is gone.
      () => {},
    );
    return () => reading.abort();
  }, [api, id, isWanted]);
  return isWanted && found?.of === id ? (found.good ?? undefined) : undefined;
}
