/** Facts about a session: process, versions, tags. */
import { useEffect, useState } from 'react';
import type { Session } from '../../api/types.ts';
import { formatStart } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import type { Trace } from '../../state/trace.ts';
import { useInspector } from '../parts/context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { ActionIcon } from '../parts/icons.tsx';
import { Disclosure } from './disclosure.tsx';

interface AboutSessionProps {
  readonly trace: Trace;
  readonly session: Session;
}

export function AboutSession({ trace, session }: AboutSessionProps) {
  return (
    <Disclosure name="About this session" icon={<ActionIcon name="about" />}>
      {() => <Facts trace={trace} session={session} />}
    </Disclosure>
  );
}

function Facts({ trace, session }: AboutSessionProps) {
  const user = useUser(trace);
  const lists = [
    ['Services', session.services],
    ['Agents', session.agents],
    ['Models', session.models],
    ['Tags', session.tags],
  ] as const;
  return (
    <dl>
      <dt>Id</dt>
      <dd>
        <code>{plainLine(session.id, 200)}</code> <CopyButton text={session.id} what="session id" />
      </dd>
      <dt>Began</dt>
      <dd>
        <time dateTime={session.started_at}>{formatStart(session.started_at, Date.now())}</time>
      </dd>
      {user !== undefined && (
        <>
          <dt>User</dt>
          <dd>{plainLine(user, 200)}</dd>
        </>
      )}
      {lists.map(
        ([name, values]) =>
          values.length > 0 && (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{values.map((value) => plainLine(value)).join(', ')}</dd>
            </div>
          ),
      )}
      <dt>Came by</dt>
      <dd>{session.engine}</dd>
    </dl>
  );
}

/** User of the session, from its first span; undefined if that has none. */
function useUser(trace: Trace): string | undefined {
  const { details } = useInspector();
  const [user, setUser] = useState<string | undefined>(undefined);
  useEffect(() => {
    const [root] = trace.forest.roots();
    const row = trace.spans.get(trace.forest.keyOf(root ?? -1) ?? '');
    if (row === undefined) return;
    const loading = new AbortController();
    details.load(row, loading.signal).then(
      ({ detail }) => setUser(detail.view.user_id ?? undefined),
      () => {}, // The panel of that span says what is wrong.
    );
    return () => loading.abort();
  }, [trace, details]);
  return user;
}
