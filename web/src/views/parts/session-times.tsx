/** Durations and waits of a session that count while it runs, by the service's clock. */
import type { Session } from '../../api/types.ts';
import { ran_ms } from '../../model/sessions/session-order.ts';
import { formatDuration, formatRunning } from '../../model/text/format.ts';
import { formatSilence } from '../../model/text/times.ts';
import { useInspector, useNow } from './context.ts';

export function Duration({ session }: { readonly session: Session }) {
  const { clock } = useInspector();
  const isGrowing = session.duration_ms === null && session.idle_since === null;
  useNow(isGrowing ? 1000 : undefined);
  // Only its requests are known: nothing says how long it ran.
  if (!isGrowing && session.span_count === 0) return '–';
  const ran_ns = ran_ms(session, clock.now_ms()) * 1e6;
  return isGrowing ? formatRunning(ran_ns) : formatDuration(ran_ns);
}

/** Time without news, of a session that runs only because no end was reported. */
export function NoNews({ since }: { readonly since: string }) {
  const { clock } = useInspector();
  useNow(10_000);
  return formatSilence(clock.now_ms() - Date.parse(since));
}

export function Waited({ since }: { readonly since: string }) {
  const { clock } = useInspector();
  useNow(1000);
  return formatRunning((clock.now_ms() - Date.parse(since)) * 1e6);
}
