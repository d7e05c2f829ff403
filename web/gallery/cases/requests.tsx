import { InboxPage } from '../../src/views/requests/inbox-page.tsx';
import { RequestCard } from '../../src/views/requests/request-card.tsx';
import type { GalleryCase } from '../case.ts';
import { requests } from '../fixtures.ts';

export const cases: readonly GalleryCase[] = [
  { name: 'inbox', height: 900, Shown: InboxPage },
  ...requests.map(({ id }) => ({
    name: `request, ${id}`,
    isPadded: true,
    Shown: () => <RequestCard id={id} />,
  })),
];
