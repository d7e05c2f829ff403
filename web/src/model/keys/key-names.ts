/** Names of keys for people: `G W`, `Esc`, `Ctrl K`. */

const NAMES: ReadonlyMap<string, string> = new Map([
  ['ArrowUp', '↑'],
  ['ArrowDown', '↓'],
  ['ArrowLeft', '←'],
  ['ArrowRight', '→'],
  ['Escape', 'Esc'],
  ['PageUp', 'PgUp'],
  ['PageDown', 'PgDn'],
  [' ', 'Space'],
  ['-', '−'],
]);

/** `chord`: keys in the notation of an action (`state/actions.ts`). */
export function keyName(chord: string, isMac = false): string {
  if (chord.startsWith('mod+')) {
    const key = keyName(chord.slice('mod+'.length));
    return isMac ? `⌘${key}` : `Ctrl ${key}`;
  }
  if (chord === ' ') return 'Space';
  return chord
    .split(' ')
    .map((key) => NAMES.get(key) ?? (key.length === 1 ? key.toUpperCase() : key))
    .join(' ');
}
