/**
 * Drafts of answers by request: every place that shows a request shows the same draft, and none is
 * lost when a row scrolls out of view.
 */
import type { FormValues } from '../model/requests/form.ts';
import { KeyedStore } from './keyed-store.ts';

export interface Draft {
  /** The edited arguments; undefined: as they came. */
  readonly args: string | undefined;
  readonly isEditing: boolean;
  readonly isDenying: boolean;
  readonly reason: string;
  /** Undefined: nothing was typed yet. */
  readonly values: FormValues | undefined;
  /** Long texts of the request that were shown whole. */
  readonly seen: readonly string[];
}

export const NO_DRAFT: Draft = {
  args: undefined,
  isEditing: false,
  isDenying: false,
  reason: '',
  values: undefined,
  seen: [],
};

export class Drafts extends KeyedStore<Draft> {
  change(id: string, values: Partial<Draft>): void {
    this.commit([[id, { ...(this.get(id) ?? NO_DRAFT), ...values }]]);
  }

  /** All of a long text is shown. */
  see(id: string, text: string): void {
    const { seen } = this.get(id) ?? NO_DRAFT;
    if (!seen.includes(text)) this.change(id, { seen: [...seen, text] });
  }

  drop(id: string): void {
    this.commit([[id, undefined]]);
  }
}
