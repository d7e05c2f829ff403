/** The list of all keys, by section: keys of actions, and keys inside widgets. */

export interface KeyRow {
  readonly keys: readonly string[];
  readonly what: string;
}

interface KeySection {
  readonly where: string;
  readonly rows: readonly KeyRow[];
}

interface Group {
  readonly where: string;
  readonly actions: readonly { readonly name: string; readonly keys?: readonly string[] }[];
}

/** Keys that a widget handles itself: they depend on the focus. */
export const WIDGET_KEYS: readonly KeySection[] = [
  {
    where: 'Where the focus is',
    rows: [
      { keys: ['ArrowUp', 'ArrowDown'], what: 'previous, next row, request or entry' },
      {
        keys: ['ArrowLeft', 'ArrowRight'],
        what: 'in a tree: fold and to the parent, unfold and in',
      },
      {
        keys: ['ArrowLeft', 'ArrowRight'],
        what: 'in tabs: previous, next one; on a divider: move it',
      },
      { keys: ['Home', 'End', 'PageUp', 'PageDown'], what: 'first, last row; a page up, down' },
      { keys: ['Enter'], what: 'open it' },
      { keys: ['Tab'], what: 'in a query: take the first suggestion' },
      { keys: ['Escape'], what: 'empty the field, leave it' },
    ],
  },
];

/** All actions that have keys, by section; those that work everywhere come last. */
export function keyList(groups: readonly Group[], everywhere: string): readonly KeySection[] {
  const places = new Map<string, Map<string, readonly string[]>>();
  for (const { where, actions } of groups) {
    const rows = places.get(where) ?? new Map<string, readonly string[]>();
    places.set(where, rows);
    for (const { name, keys } of actions) if (keys?.length) rows.set(name, keys);
  }
  return [...places]
    .filter(([, rows]) => rows.size > 0)
    .sort(([a], [b]) => Number(a === everywhere) - Number(b === everywhere))
    .map(([where, rows]) => ({
      where,
      rows: [...rows].map(([what, keys]) => ({ keys, what })),
    }));
}
