/** An entry of the audit log, in words. */
import type { AuditEntry } from '../../api/types.ts';
import { AUDIT_TEXT, timedOut } from '../../texts.ts';
import { plainLine } from '../text/hidden-characters.ts';
import { decisionName } from './request.ts';

/** What was done: `Deny`, `Allow with edits`, `Pause`, `Timed out: allowed by default`. */
export function auditAction({ action, decision, is_edited }: AuditEntry): string {
  if (action === 'request_expired') {
    return timedOut(decision === null ? undefined : decisionName(decision));
  }
  if (action === 'answer' && decision !== null) {
    const name = named(AUDIT_TEXT.decisions, decision) ?? capitalised(decision);
    return is_edited ? AUDIT_TEXT.withEdits(name) : name;
  }
  const name = named(AUDIT_TEXT.actions, action) ?? capitalised(action.replace(/_/g, ' '));
  return decision === null ? name : `${name}: ${decisionName(decision)}`;
}

/** Leave out that an action was accepted where its outcome is listed, too; newest first. */
export function withOutcomes(entries: readonly AuditEntry[]): readonly AuditEntry[] {
  const outcomes = new Map<string, number>();
  return entries.filter((entry) => {
    const { actor, action, request_id, session_id, process_id, result } = entry;
    const key = JSON.stringify([actor, action, request_id, session_id, process_id]);
    const count = outcomes.get(key) ?? 0;
    if (result === 'applied' || result === 'not_applied') outcomes.set(key, count + 1);
    if (result !== 'accepted' || count === 0) return true;
    outcomes.set(key, count - 1);
    return false;
  });
}

function named(names: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(names, key) ? names[key] : undefined;
}

function capitalised(text: string): string {
  const line = plainLine(text, 60);
  return line.charAt(0).toUpperCase() + line.slice(1);
}
