import { RequestCard } from '../../src/views/parts/requests/request-card.tsx';
import { WaitsElsewhere } from '../../src/views/parts/requests/span-requests.tsx';
import { InboxPage } from '../../src/views/requests/inbox-page.tsx';
import { WaitingStrip } from '../../src/views/session/waiting-strip.tsx';
import { After, pressed } from '../after.tsx';
import type { GalleryCase } from '../case.ts';
import { requests } from '../fixtures.ts';

/** Opens the editor of the arguments. */
const EDITED = pressed('button', 'Edit');

/** Opens the form of a denial. */
const DENYING = pressed('button', 'Deny…');

export const cases: readonly GalleryCase[] = [
  { name: 'inbox', height: 900, Shown: InboxPage },
  ...requests.map(({ id }) => ({
    name: `request, ${id}`,
    isPadded: true,
    Shown: () => <RequestCard id={id} />,
  })),
  {
    name: 'waiting strip',
    Shown: () => <WaitingStrip sessionId="waiting" />,
  },
  {
    name: 'waits elsewhere',
    isPadded: true,
    Shown: () => <WaitsElsewhere isWaiting hasRequest={false} />,
  },
  {
    name: 'request, edited',
    isPadded: true,
    Shown: () => (
      <After deed={EDITED}>
        <RequestCard id="approval" />
      </After>
    ),
  },
  {
    name: 'request, denial',
    isPadded: true,
    Shown: () => (
      <After deed={DENYING}>
        <RequestCard id="approval" />
      </After>
    ),
  },
];
