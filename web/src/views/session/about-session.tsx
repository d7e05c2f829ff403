/** Facts about a session: process, versions, tags. */
import type { Session } from '../../api/types.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { COLUMN_TEXT, FACT_TEXT, SESSION_TEXT, SPAN_TEXT } from '../../texts.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { ActionIcon } from '../parts/icons.tsx';
import { PanelButton } from '../parts/popups/popup-button.tsx';
import { When } from '../parts/times.tsx';

interface AboutSessionProps {
  readonly session: Session;
}

export function AboutSession({ session }: AboutSessionProps) {
  return (
    <PanelButton name={SESSION_TEXT.about} icon={<ActionIcon name="about" />}>
      <Facts session={session} />
    </PanelButton>
  );
}

function Facts({ session }: AboutSessionProps) {
  const lists = [
    [COLUMN_TEXT.services, session.services],
    [COLUMN_TEXT.agents, session.agents],
    [COLUMN_TEXT.models, session.models],
    [COLUMN_TEXT.tags, session.tags],
    [COLUMN_TEXT.users, session.users],
  ] as const;
  return (
    <dl>
      <dt>{SESSION_TEXT.id}</dt>
      <dd>
        <code>{plainLine(session.id, 200)}</code>{' '}
        <CopyButton text={session.id} what={SESSION_TEXT.sessionId} />
      </dd>
      <dt>{FACT_TEXT.started}</dt>
      <dd>
        <When at={session.started_at} />
      </dd>
      {lists.map(
        ([name, values]) =>
          values.length > 0 && (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{values.map((value) => plainLine(value, 200)).join(', ')}</dd>
            </div>
          ),
      )}
      <dt>{SPAN_TEXT.source}</dt>
      <dd>{session.engine}</dd>
    </dl>
  );
}
