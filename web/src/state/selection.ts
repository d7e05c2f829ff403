/** Selected rows of the list, by id, so that they stay selected when they move. */
import { Cell } from './cell.ts';

export class Selection {
  readonly ids = new Cell<ReadonlySet<string>>(new Set());
  /** First row of a range. */
  private anchor: string | undefined;
  private list = '';

  /** Show a list: what is selected is what one sees, or has seen, in this very one. */
  show(list: string): void {
    if (list !== this.list) this.clear();
    this.list = list;
  }

  toggle(id: string): void {
    const next = new Set(this.ids.get());
    if (!next.delete(id)) next.add(id);
    this.anchor = id;
    this.ids.set(next);
  }

  /** Select the range from the last toggled row to this one, inclusive. */
  extendTo(id: string, order: readonly string[]): void {
    const [from, to] = [order.indexOf(this.anchor ?? id), order.indexOf(id)].sort((a, b) => a - b);
    if (from === undefined || to === undefined || from < 0) this.toggle(id);
    else this.add(order.slice(from, to + 1));
  }

  add(ids: Iterable<string>): void {
    this.ids.set(new Set([...this.ids.get(), ...ids]));
  }

  remove(ids: Iterable<string>): void {
    const next = new Set(this.ids.get());
    for (const id of ids) next.delete(id);
    if (next.size < this.ids.get().size) this.ids.set(next);
  }

  clear(): void {
    this.anchor = undefined;
    if (this.ids.get().size > 0) this.ids.set(new Set());
  }
}
