import { NewPill } from '../../src/views/new-pill.tsx';
import type { GalleryCase } from '../case.ts';

export const cases: readonly GalleryCase[] = [
  {
    name: 'new pill',
    height: 60,
    Shown: () => <NewPill count={12} direction="down" onClick={() => {}} />,
  },
];
