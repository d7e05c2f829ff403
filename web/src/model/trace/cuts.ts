/** Values that came with a span truncated, and where the whole ones are. */
import type { Clamped, SpanDetail } from '../../api/types.ts';

export class Cuts {
  private readonly byPointer: ReadonlyMap<string, Clamped>;
  /** Truncated values by the object that holds them: a payload, a part of a message. */
  private readonly byHolder = new Map<object, Clamped>();

  constructor(detail: SpanDetail) {
    const cuts = detail.clamped ?? [];
    this.byPointer = new Map(cuts.map((cut) => [cut.pointer, cut]));
    for (const cut of cuts) {
      const holder = holderOf(detail, cut.pointer);
      if (holder !== undefined) this.byHolder.set(holder, cut);
    }
  }

  get size(): number {
    return this.byPointer.size;
  }

  at(pointer: string): Clamped | undefined {
    return this.byPointer.get(pointer);
  }

  /** The truncated value of an object. */
  of(holder: object): Clamped | undefined {
    return this.byHolder.get(holder);
  }
}

/** A key as a step of a JSON Pointer (RFC 6901). */
export function pointerStep(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function holderOf(root: object, pointer: string): object | undefined {
  let at: unknown = root;
  for (const step of pointer.split('/').slice(1, -1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return typeof at === 'object' && at !== null ? at : undefined;
}
