/** Height of rows: the normal one of a list, changed by the density that the reader chose. */
import type { RowDensity } from '../../state/preferences.ts';
import { usePreferences } from './context.ts';

/** As `--row-step` in `tokens.css`. */
const STEP_PX: Readonly<Record<RowDensity, number>> = { compact: -4, normal: 0, comfortable: 8 };

export function useRowHeight(normal_px: number): number {
  return normal_px + STEP_PX[usePreferences().rowDensity];
}
