/**
 * Answers that are being written, by request: whatever place shows the request shows the same
 * draft, and none is lost when a row scrolls out of view.
 */
import type { FormValues } from '../model/form.ts';
import { KeyedStore } from './keyed-store.ts';

export interface Draft {
  /** The edited arguments; undefined: as they came. */
  readonly args: string | undefined;
  readonly isEditing: boolean;
  readonly isDenying: boolean;
  readonly reason: string;
  /** Undefined: nothing was typed yet. */
  readonly values: FormValues | undefined;
}

export const NO_DRAFT: Draft = {
  args: undefined,
  isEditing: false,
  isDenying: false,
  reason: '',
  values: undefined,
};

export class Drafts extends KeyedStore<Draft> {
  change(id: string, values: Partial<Draft>): void {
    this.commit([[id, { ...(this.get(id) ?? NO_DRAFT), ...values }]]);
  }

  drop(id: string): void {
    this.commit([[id, undefined]]);
  }
}
