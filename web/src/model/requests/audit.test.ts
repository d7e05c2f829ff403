import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../api/types.ts';
import { auditAction, withOutcomes } from './audit.ts';

describe('auditAction', () => {
  const of = (action: string, decision: string | null = null) =>
    auditAction({ action, decision } as AuditEntry);

  it('names an answer by its decision, and a timeout by what it did', () => {
    expect(of('answer', 'allow_always')).toBe('Always allow');
    expect(
      auditAction({ action: 'answer', decision: 'allow', is_edited: true } as AuditEntry),
    ).toBe('Allow with edits');
    expect(of('request_expired', 'allow')).toBe('Timed out: allowed by default');
    expect(of('request_opened')).toBe('Ask');
    expect(of('pause')).toBe('Pause');
  });

  it('shows what it does not know as it is, in one line without hidden characters', () => {
    expect(of('a\nb\u202e_c', 'toString')).toBe('A b[U+202E] c: toString');
    expect(of('answer', 'constructor')).toBe('Constructor');
  });
});

describe('withOutcomes', () => {
  const entry = (id: number, result: string, request_id: string | null, action = 'answer') =>
    ({
      id,
      result,
      request_id,
      action,
      actor: 'ada',
      session_id: 's',
      process_id: 'p',
    }) as AuditEntry;
  const ids = (...entries: AuditEntry[]) => withOutcomes(entries).map(({ id }) => id);

  it('lists an action that was accepted and is over once, by its outcome', () => {
    expect(ids(entry(4, 'applied', 'b'), entry(3, 'accepted', 'b'))).toEqual([4]);
    expect(ids(entry(4, 'not_applied', 'b'), entry(3, 'accepted', 'b'))).toEqual([4]);
  });

  it('keeps what has no outcome yet, what was refused, and what is about something else', () => {
    const entries = [
      entry(6, 'accepted', 'c'),
      entry(5, 'refused', 'b'),
      entry(4, 'applied', 'a'),
      entry(3, 'accepted', 'b'),
      entry(2, 'accepted', 'a', 'pause'),
    ];
    expect(ids(...entries)).toEqual([6, 5, 4, 3, 2]);
  });

  it('takes one acceptance for each outcome of an action that was repeated', () => {
    const again = ['accepted', 'applied', 'accepted', 'applied', 'accepted'].map((result, at) =>
      entry(9 - at, result, null, 'pause'),
    );
    expect(ids(...again)).toEqual([9, 8, 6]);
  });
});
