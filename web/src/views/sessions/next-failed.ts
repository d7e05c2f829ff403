/** `E`: the next session in which something failed; Enter then opens it at the cause. */
import { useMemo } from 'react';
import type { Sessions } from '../../state/sessions.ts';
import { useActions } from '../parts/actions.ts';

export function useNextFailed(
  sessions: Sessions,
  ids: readonly string[],
  scrollToIndex: (index: number, options: { align: 'auto' }) => void,
): void {
  const actions = useMemo(() => {
    const next = () => {
      const focused =
        document.activeElement?.closest<HTMLElement>('[data-session]')?.dataset['session'];
      const failed = ids.filter((id) => (sessions.rows.get(id)?.error_count ?? 0) > 0);
      const id = failed[(failed.indexOf(focused ?? '') + 1) % Math.max(1, failed.length)];
      if (id === undefined) return;
      // At once, if its row is in the document: the next key may come in the same frame.
      if (focusRow(id)) return;
      scrollToIndex(ids.indexOf(id), { align: 'auto' });
      requestAnimationFrame(() => requestAnimationFrame(() => focusRow(id)));
    };
    return [{ name: 'Next session with an error', keys: ['e'], run: next }];
  }, [sessions, ids, scrollToIndex]);
  useActions('Session list', actions);
}

function focusRow(id: string): boolean {
  const row = document.querySelector(`[data-session="${CSS.escape(id)}"]`);
  const link = row?.querySelector('a');
  link?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
  return link != null;
}
