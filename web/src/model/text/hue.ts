/** Hue of a name, the same wherever it is shown. */

/** The hues of errors and of waiting, which mean something: no name gets them. */
const FIRST = 105;
const COUNT = 265;

/** Hue of OKLCH, degrees. */
export function hueOf(name: string): number {
  // FNV-1a: names that differ in one letter are far apart.
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  }
  return (FIRST + (((hash ^ (hash >>> 15)) >>> 0) % COUNT)) % 360;
}

/** A colour in the hue of a name: as light and as strong as `base`, in whatever form that is. */
export function inHueOf(base: string, name: string): string {
  return `oklch(from ${base} l c ${hueOf(name)})`;
}
