/** Actions of the page and their keys, for the keyboard and the palette. */
import { Cell } from './cell.ts';

export interface Action {
  /** Name in the palette and the list of keys: `Next error`. */
  readonly name: string;
  /**
   * Keys of the action: `KeyboardEvent.key`, letters in lower case; a sequence of two is separated
   * by a space (`g w`); `mod+k` is with Ctrl or ⌘, and works inside inputs too. The first one is
   * shown. Without keys, the action is in the palette only.
   *
   * An action with an effect on an agent has no single key. One that grants, refuses, cancels or
   * deletes only moves the focus to the button that does.
   */
  readonly keys?: readonly string[];
  readonly run: () => void;
}

export interface ActionGroup {
  /** Heading of the group: `Session`. */
  readonly where: string;
  readonly actions: readonly Action[];
}

/** Group whose keys count after all others; those of the session count after those of its view. */
export const EVERYWHERE = 'Everywhere';
export const OF_SESSION = 'Session';

/** Groups of the selection: `.` shows only these. */
export const OF_SELECTION: ReadonlySet<string> = new Set(['Selection', 'Span', 'Request']);

export class Actions {
  /** Groups in the order in which they were added. */
  readonly groups = new Cell<readonly ActionGroup[]>([]);

  /** Add a group; the returned function removes it. */
  add(group: ActionGroup): () => void {
    this.groups.set([...this.groups.get(), group]);
    return () => this.groups.set(this.groups.get().filter((other) => other !== group));
  }

  /** Action of a key: the group added last wins, the most general ones come last. */
  ofKey(key: string): Action | undefined {
    const groups = [...this.groups.get()].reverse();
    for (const width of [0, 1, 2]) {
      for (const { where, actions } of groups) {
        if (widthOf(where) !== width) continue;
        const found = actions.find(({ keys }) => keys?.includes(key));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** Whether a key is the first of a sequence of two. */
  isFirst(key: string): boolean {
    return this.groups
      .get()
      .some(({ actions }) =>
        actions.some(({ keys }) => keys?.some((chord) => chord.startsWith(`${key} `))),
      );
  }
}

function widthOf(where: string): number {
  return where === EVERYWHERE ? 2 : where === OF_SESSION ? 1 : 0;
}
