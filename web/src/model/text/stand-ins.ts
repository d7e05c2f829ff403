/**
 * Signs that stand for hidden characters while a text is edited: `❶` for a right-to-left override.
 *
 * In a text area such a character could neither be seen nor selected, and would turn the writing
 * around it. A sign is one that the text does not have; `decode` puts every character back.
 */
import { piecesOf } from './hidden-characters.ts';

interface StandIn {
  readonly sign: string;
  readonly code: number;
}

/** Candidates: ❶ to ➓, ① to ⑳, then characters of private use. */
function* candidates(): Generator<string> {
  for (const [from, to] of [
    [0x2776, 0x2793],
    [0x2460, 0x2473],
    [0xe000, 0xf8ff],
  ] as const) {
    for (let code = from; code <= to; code += 1) yield String.fromCharCode(code);
  }
}

export class StandIns {
  readonly list: readonly StandIn[];
  private readonly signOf = new Map<number, string>();
  private readonly codeOf = new Map<string, number>();

  /** Choose a sign for each hidden character of `text`, in order of occurrence. */
  constructor(text: string) {
    const hidden = new Set<number>();
    for (const piece of piecesOf(text)) if (piece.kind === 'hidden') hidden.add(piece.code);
    const free = candidates();
    const list: StandIn[] = [];
    for (const code of hidden) {
      let { value: sign } = free.next();
      while (sign !== undefined && text.includes(sign)) ({ value: sign } = free.next());
      if (sign === undefined) break;
      this.signOf.set(code, sign);
      this.codeOf.set(sign, code);
      list.push({ sign, code });
    }
    this.list = list;
  }

  /** The text with signs, for editing. */
  encode(text: string): string {
    if (this.list.length === 0) return text;
    return piecesOf(text)
      .map((piece) =>
        piece.kind === 'hidden'
          ? (this.signOf.get(piece.code) ?? String.fromCodePoint(piece.code)).repeat(piece.count)
          : piece.text,
      )
      .join('');
  }

  /** The text that an edited one stands for. */
  decode(edited: string): string {
    if (this.list.length === 0) return edited;
    const signs = new RegExp(`[${this.list.map(({ sign }) => sign).join('')}]`, 'g');
    return edited.replace(signs, (sign) => String.fromCodePoint(this.codeOf.get(sign) ?? 0));
  }
}
