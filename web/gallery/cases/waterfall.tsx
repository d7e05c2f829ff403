import { SessionHeader } from '../../src/views/session/session-header.tsx';
import { Waterfall } from '../../src/views/session/waterfall.tsx';
import type { GalleryCase } from '../case.ts';
import { useTrace } from '../use-trace.ts';

export const cases: readonly GalleryCase[] = [
  { name: 'session header', Shown: () => <SessionHeader trace={useTrace('waiting')} /> },
  { name: 'session header, failed', Shown: () => <SessionHeader trace={useTrace('failed')} /> },
  {
    name: 'waterfall',
    height: 680,
    Shown: () => <Waterfall trace={useTrace('waiting')} selected={undefined} onSelect={() => {}} />,
  },
];
