/** Hue of a name, the same wherever it is shown. */

/** The hues of errors and of waiting, which mean something: no name gets them. */
const FIRST = 105;
const COUNT = 265;

/** Least number of hues: those that are told apart without looking twice. */
const SHADES = 8;

/**
 * Hue of OKLCH, degrees: its own wherever it is alone. Of several names, none has the hue of one
 * before it.
 */
export function hueOf(name: string, among: readonly string[] = [name]): number {
  const count = Math.max(SHADES, among.length);
  const inUse = new Set<number>();
  const shadeOf = (one: string) => {
    let shade = hashOf(one) % count;
    while (inUse.has(shade)) shade = (shade + 1) % count;
    return shade;
  };
  for (const one of among.slice(0, among.indexOf(name))) inUse.add(shadeOf(one));
  return (FIRST + Math.round((shadeOf(name) * COUNT) / count)) % 360;
}

function hashOf(name: string): number {
  // FNV-1a: names that differ in one letter are far apart.
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** A colour in the hue of a name: as light and as strong as `base`, in whatever form that is. */
export function inHueOf(base: string, name: string, among?: readonly string[]): string {
  return `oklch(from ${base} l c ${hueOf(name, among)})`;
}
