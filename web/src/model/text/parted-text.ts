/**
 * A long text that is edited part by part: a text area lays out its whole content with every key,
 * so it gets one part. Joined, the parts are the text.
 */
import { partsOf } from './text-parts.ts';

/** Limit of characters of one text area. */
const MAX_WHOLE = 24_000;
const PART = 16_000;

export class PartedText {
  private readonly texts: string[];

  constructor(text: string) {
    this.texts =
      text.length <= MAX_WHOLE ? [text] : partsOf(text, PART).map((p) => text.slice(p.from, p.to));
  }

  get count(): number {
    return this.texts.length;
  }

  part(index: number): string {
    return this.texts[index] ?? '';
  }

  change(index: number, text: string): void {
    this.texts[index] = text;
  }

  get whole(): string {
    return this.texts.length === 1 ? this.part(0) : this.texts.join('');
  }

  /** Number of the line in which a part begins, from 1. */
  firstLine(index: number): number {
    let lines = 1;
    for (let at = 0; at < index; at += 1) lines += countOf(this.part(at), '\n');
    return lines;
  }

  /** The part with a character of the whole text, and the offset in it. */
  locate(at: number): { readonly part: number; readonly offset: number } {
    let offset = at;
    for (let part = 0; part < this.count; part += 1) {
      const { length } = this.part(part);
      if (offset < length || part === this.count - 1) {
        return { part, offset: Math.min(offset, length) };
      }
      offset -= length;
    }
    return { part: 0, offset: 0 };
  }

  /** Offset in the whole text of an offset in a part. */
  position(part: number, offset: number): number {
    let at = offset;
    for (let before = 0; before < part; before += 1) at += this.part(before).length;
    return at;
  }
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}
