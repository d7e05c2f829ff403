import { NewPill } from '../../src/views/parts/new-pill.tsx';
import { LongText } from '../../src/views/parts/values/long-text.tsx';
import { LongValue } from '../../src/views/parts/values/long-value.tsx';
import { Slow } from '../../src/views/parts/values/slow.tsx';
import { SettingsPanel } from '../../src/views/settings-panel.tsx';
import type { GalleryCase } from '../case.ts';

const LONG = 'One line of a text that goes on and on, as those of models do.\n'.repeat(400);
const CUT = { pointer: '/attributes/long', size_bytes: 20_000_000, is_json: false };

export const cases: readonly GalleryCase[] = [
  { name: 'settings', isPadded: true, Shown: SettingsPanel },
  {
    name: 'new pill',
    height: 60,
    Shown: () => <NewPill count={12} direction="down" onClick={() => {}} />,
  },
  {
    name: 'slow',
    isPadded: true,
    Shown: () => <Slow what="Loading" done={7} all={20} amount="7 MB of 20 MB" onStop={() => {}} />,
  },
  { name: 'long text', height: 300, Shown: () => <LongText text={LONG} what="the answer" /> },
  {
    name: 'long value, its beginning',
    isPadded: true,
    Shown: () => (
      <LongValue cut={CUT} beginning={LONG.slice(0, 900)} what="the answer">
        {(text) => text}
      </LongValue>
    ),
  },
];
