/**
 * Drafts of answers by request: every view of a request shows the same draft, and none is lost when
 * a row scrolls out of view.
 */
import type { FormValues } from '../model/requests/form.ts';
import type { TextDiff } from '../model/text/text-diff.ts';
import { KeyedStore } from './keyed-store.ts';

/** Limit of the edits that stay: the oldest go first. */
const MAX_SENT = 20;

export interface Draft {
  /** The edited arguments; undefined if they are not edited. */
  readonly args: string | undefined;
  readonly isEditing: boolean;
  /** What the open form denies: the request, or all that its session waits for. */
  readonly denying: 'one' | 'all' | undefined;
  readonly reason: string;
  /** The typed values; undefined before anything was typed. */
  readonly values: FormValues | undefined;
  /** The edit that was sent. */
  readonly sent: TextDiff | undefined;
  /** Long texts of the request that were shown in full. */
  readonly seen: readonly string[];
}

export const NO_DRAFT: Draft = {
  args: undefined,
  isEditing: false,
  denying: undefined,
  reason: '',
  values: undefined,
  sent: undefined,
  seen: [],
};

export class Drafts extends KeyedStore<Draft> {
  change(id: string, values: Partial<Draft>): void {
    this.commit([[id, { ...(this.get(id) ?? NO_DRAFT), ...values }]]);
  }

  /** Note that all of a long text is shown. */
  see(id: string, text: string): void {
    const { seen } = this.get(id) ?? NO_DRAFT;
    if (!seen.includes(text)) this.change(id, { seen: [...seen, text] });
  }

  /** Forget the draft of an answer that was sent; its edit stays, in this page alone. */
  close(id: string, edit: TextDiff | undefined): void {
    const edits = [...this.keys()].filter((key) => this.get(key)?.sent !== undefined);
    this.commit([
      ...edits
        .slice(0, Math.max(0, edits.length + 1 - MAX_SENT))
        .map((key) => [key, undefined] as const),
      [id, edit === undefined ? undefined : { ...NO_DRAFT, sent: edit }],
    ]);
  }

  /** Whether anything was edited or typed. */
  hasUnsent(): boolean {
    return [...this.values()].some(
      ({ args, reason, values }) => args !== undefined || reason !== '' || values !== undefined,
    );
  }
}
