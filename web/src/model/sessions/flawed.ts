/** Sessions that came to their end despite errors. */
import type { Session } from '../../api/types.ts';

/** Whether a session is completed, and has errors that it recovered from. */
export function isFlawed({ status, error_count }: Session): boolean {
  return status === 'completed' && error_count > 0;
}
