/** Cases of the palette and of the keys dialog, each over its own frame. */
import { useEffect } from 'react';
import type { Action } from '../../src/state/actions.ts';
import { App } from '../../src/views/app.tsx';
import { KeysDialog } from '../../src/views/keys-dialog.tsx';
import { Palette } from '../../src/views/palette/palette.tsx';
import { useInspector } from '../../src/views/parts/context.ts';
import { After, typed } from '../after.tsx';
import type { GalleryCase } from '../case.ts';
import { Stage } from '../stage.tsx';

const A_SPAN =
  'sessions/before?view=waterfall&span=00000000000000000000000000000011.0000000000000006';

interface OpenedProps {
  readonly at?: string;
  /** Name of the action that opens the dialog. */
  readonly name: string;
}

/** The page after an action was run. */
function Opened({ at = '', name }: OpenedProps) {
  return (
    <Stage at={at}>
      <App />
      <Does name={name} />
    </Stage>
  );
}

function Does({ name }: { readonly name: string }) {
  const { actions } = useInspector();
  useEffect(() => {
    const groups = actions.groups.get();
    groups
      .flatMap((group) => [...group.actions])
      .find((one) => one.name === name)
      ?.run();
  }, [actions, name]);
  return null;
}

const NAMES = [
  'Release these notes',
  'Compare with another release of the same agent, which is chosen on the page that opens',
  'Copy_everything_that_is_known_of_this_session_and_of_all_that_are_below_it_as_one_long_line',
];

interface OfferedProps {
  readonly names?: readonly string[];
  readonly typing?: string;
}

function Offered({ names = NAMES, typing }: OfferedProps) {
  return (
    <Stage at="sessions/before" preferences={{ recentActions: ['Session: Release these notes'] }}>
      <Offers actions={names.map((name) => ({ name, keys: ['g r'], run: () => {} }))} />
      <After deed={typing === undefined ? async () => {} : typed('input', typing)}>
        <Palette isSelectionOnly={false} onClose={() => {}} />
      </After>
    </Stage>
  );
}

function Offers({ actions }: { readonly actions: readonly Action[] }) {
  const inspector = useInspector();
  useEffect(() => inspector.actions.add({ where: 'Session', actions }), [inspector, actions]);
  return null;
}

export const cases: readonly GalleryCase[] = [
  {
    name: 'palette, nothing typed',
    height: 720,
    Shown: () => <Opened name="All actions, pages and sessions" />,
  },
  {
    name: 'palette, what is selected',
    height: 720,
    Shown: () => <Opened at={A_SPAN} name="Actions for selection" />,
  },
  { name: 'palette, long names', height: 600, Shown: () => <Offered /> },
  { name: 'palette, results', height: 480, Shown: () => <Offered typing="rele" /> },
  { name: 'palette, nothing found', height: 320, Shown: () => <Offered typing="qqzzy" /> },
  { name: 'keys', height: 720, Shown: () => <KeysDialog onClose={() => {}} /> },
];
