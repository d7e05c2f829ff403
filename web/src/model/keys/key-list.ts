/** The list of the keys of actions, by section. */

export interface KeyRow {
  readonly keys: readonly string[];
  readonly what: string;
}

export interface KeySection {
  readonly where: string;
  readonly rows: readonly KeyRow[];
}

interface Group {
  readonly where: string;
  readonly actions: readonly { readonly name: string; readonly keys?: readonly string[] }[];
}

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
