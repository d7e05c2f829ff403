import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../api/types.ts';
import { auditAction } from './audit.ts';

describe('auditAction', () => {
  const of = (action: string, decision: string | null = null) =>
    auditAction({ action, decision } as AuditEntry);

  it('names an answer by its decision, and a timeout by what it did', () => {
    expect(of('answer', 'allow_always')).toBe('Always allow');
    expect(of('request_expired', 'allow')).toBe('Timed out: allowed by default');
    expect(of('request_opened')).toBe('Ask');
    expect(of('pause')).toBe('Pause');
  });

  it('shows what it does not know as it is, in one line without hidden characters', () => {
    expect(of('a\nb\u202e_c', 'toString')).toBe('A b[U+202E] c: toString');
    expect(of('answer', 'constructor')).toBe('Constructor');
  });
});
