import { useInspector } from '../../src/views/context.ts';
import { EmptySessions } from '../../src/views/sessions/empty-sessions.tsx';
import { SessionList } from '../../src/views/sessions/session-list.tsx';
import type { GalleryCase } from '../case.ts';

function List() {
  return <SessionList sessions={useInspector().sessions} />;
}

export const cases: readonly GalleryCase[] = [
  { name: 'session list', height: 320, Shown: List },
  { name: 'no session', height: 520, Shown: EmptySessions },
];
